/// Keys and tokens of the RFCs, and two that OpenSSL has made.
enum Vectors {
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// RFC 7515, appendix A.1.
    static let hs256 = (
        key: #"""
        {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
        """#,
        token:
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )

    /// RFC 7515, appendix A.2.
    static let rs256 = (
        key: #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#,
        token:
            "eyJhbGciOiJSUzI1NiJ9.\(claims).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    )
    static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"

    /// RFC 7515, appendix A.3.
    static let es256 = (
        key: #"""
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """#,
        token:
            "eyJhbGciOiJFUzI1NiJ9.\(claims).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    )

    /// RFC 8037, appendix A.4.
    static let edDSA = (
        key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        token:
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    )

    /// No RFC has one; `joserfc` made it.
    static let ps256 = (
        key: #"""
        {"kty":"RSA","alg":"PS256","e":"AQAB","n":"qd02i-hraPLkIFLekP_f385-zHeBKYNWuq2pmpeb9-cjO7vTLx7Jm3ZskoiSarV9YDJEUidoik-D5cpRfuNlhWMwOrCQz-sDXI3cOUtXHMkpbOsVBZCLSmd5VwPS8aWkjBsHUwJeh3S6NR2i4HMhqeYxFdEBx6S2yqcI6mwpid2nkxcg4cDRhfcN8dL8aD6vG5X1jZEW1ZAgEjP9lCl4_L_7A5JO1j4JUfEgZuk1o3mXG0WDNgXJP7_i1ASNcaghRB6Jiiu6cEA9zPL-97I_1BImMEyQQ4HanmRB2Zon00BxOzlQCenie4-cD-AQ9kD7EAQgTBlWaM0PYcLXUG_NaQ"}
        """#,
        token:
            "eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UifQ.qMkHhOcqBWmNT5GgyIkLOY5jvUujiVCP_0ftbSgcRRAtQoZUAFN1xZFn9tgnfP_A1nlG6R7vcR4Vm_E5TFRUHrjl762UFXzZgitgfhClEcHrXIhdyWZpVxgnuoiJAxygzK2ccLQ30ASGhwZ1r_l60WuGyUAMdAu6gsfFDhNu7j34kBtf7ylqvoT6EjuI__S89PYda09gWEAPU7xPcX8VY3vqiJoxxRFawG3sLeskayR93XpaNZOzdqa1D7NSXU8GC0bdnMb-QPH5Mex9LTNBfJijExqRTAQK7WUEAb-UAOB_CHw_AWc6U16Km3vuue9PnZggKg326kSyV6HGMHjLxQ"
    )

    static let all = [hs256, rs256, ps256, es256, edDSA]

    /// 1024 bits.
    static let shortKey =
        #"{"kty":"RSA","e":"AQAB","n":"rQb8nvpj56YyVrsuq-iww4wFahKrFehfTbbTq_8ZXVF0dkjCe2icoiPIEfZwys2nkR3gbRda8L-3UFMA7INdXO52uouUjjFrONGL228fNlsCBnKth3TelY9usp3y6Xjd6bn50fxd2DtQombFg5TATqm7mcJ_39AzGukzuKPEaec"}"#
}
