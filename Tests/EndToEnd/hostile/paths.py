"""Paths of files: decoding, links, what is hidden, what is no file. The folder is made in standing.py."""

from hostile.case import Case, Exchange, exchange, fill


def get(name, path, status, **options):
    return exchange(name, f"GET {path} HTTP/1.1\r\n" + "{H}\r\n", status, **options)


def gone(name, path):
    """Nothing is served, and nothing of a secret is said."""

    def run(server):
        with Exchange(server) as peer:
            peer.send(fill(f"GET {path} HTTP/1.1\r\n" + "{H}\r\n", server))
            status, _, body = peer.answer()
            assert status == 404 and b"secret" not in body and b"root:" not in body, (status, body)
            peer.is_in_step()

    return Case(name, run)


CASES = [
    get("a file", "/page.js", 200, fields={"content-type": "text/javascript; charset=utf-8"}),
    get("the index", "/", 200, fields={"content-type": "text/html; charset=utf-8"}),
    get("the index of a folder", "/sub/", 200),
    get("a link that stays inside", "/in.js", 200),
    get("a space in a name", "/a%20b.txt", 200),
    get("a name beyond ASCII", "/%c3%a4.txt", 200),
    get("dots within a name", "/dotted..txt", 200),
    get("a query does not matter", "/page.js?a=/../../etc/passwd", 200),
    get("a name is decoded once", "/%2541.txt", 200),
    get("the root without a slash", "http://localhost?x", 200),
    gone("out by dots", "/../outside/secret.txt"),
    gone("out by dots in the middle", "/sub/../../outside/secret.txt"),
    gone("dots that stay inside", "/sub/../page.js"),
    gone("one dot", "/./page.js"),
    gone("out by encoded dots", "/%2e%2e/outside/secret.txt"),
    gone("out by half encoded dots", "/.%2e/outside/secret.txt"),
    gone("out by dots encoded twice", "/%252e%252e/outside/secret.txt"),
    gone("out by an encoded slash", "/..%2foutside/secret.txt"),
    gone("out by a slash encoded twice", "/..%252foutside/secret.txt"),
    gone("out by backslashes", "/..\\outside\\secret.txt"),
    gone("out by encoded backslashes", "/..%5coutside%5csecret.txt"),
    gone("out by overlong dots", "/%c0%ae%c0%ae/outside/secret.txt"),
    gone("out by an overlong slash", "/..%c0%afoutside/secret.txt"),
    gone("out by wide dots", "/%ef%bc%8e%ef%bc%8e/outside/secret.txt"),
    gone("out by dots and a semicolon", "/..;/outside/secret.txt"),
    gone("a slash in front of the root", "//etc/passwd"),
    gone("two slashes", "//page.js"),
    gone("two slashes in the middle", "/sub//index.html"),
    gone("a whole path", "/etc/passwd"),
    gone("a path with a drive", "/C:/windows/win.ini"),
    gone("a path of proc", "/proc/self/environ"),
    gone("NUL behind a name", "/page.js%00.png"),
    gone("NUL in front", "/%00page.js"),
    gone("NUL behind a folder", "/sub/%00"),
    gone("a name that is not UTF-8", "/%ff%fe"),
    gone("a line end in a name", "/page.js%0d%0aX:%20y"),
    gone("a hidden file", "/.hidden"),
    gone("a hidden file, encoded", "/%2ehidden"),
    gone("secrets of an environment", "/.env"),
    gone("a hidden folder", "/.well-known/x"),
    gone("a hidden file in a folder", "/sub/.htaccess"),
    gone("a folder's history", "/.git/config"),
    gone("a link to a file outside", "/out.txt"),
    gone("a link to a folder outside", "/outdoor/secret.txt"),
    gone("a link to a folder outside, itself", "/outdoor/"),
    gone("a link to a neighbour of the same beginning", "/neighbour.txt"),
    gone("a link to a system's file", "/passwd.txt"),
    gone("a link to itself", "/loop.txt"),
    gone("a link to nothing", "/dangling.txt"),
    gone("a link to a device", "/zero.txt"),
    gone("a pipe that nobody writes to", "/pipe.txt"),
    gone("a folder without its slash", "/sub"),
    gone("a folder without an index", "/empty/"),
    gone("a file as a folder", "/page.js/"),
    gone("a file within a file", "/page.js/x"),
    gone("an index that is asked for as a folder", "/index.html/"),
    gone("a file with a blank behind", "/page.js%20"),
    gone("a file with a dot behind", "/page.js."),
    gone("another letter case", "/PAGE.JS"),
    gone("a name of 255 letters and more", "/" + "n" * 300),
    gone("a path of 2,000 folders", "/d" * 2000),
    gone("a path beyond what the system takes", "/" + "p" * 5000),
    gone("a tilde", "/~root/"),
    gone("a glob", "/*.js"),
    gone("another stream of a file", "/page.js::$DATA"),
    get("half an escape at the end", "/page.js%", 400, then="is closed"),
    get("an escape that is none", "/%zz", 400, then="is closed"),
    get("an escape cut short", "/%4", 400, then="is closed"),
    get("the escape of another system", "/%u002e", 400, then="is closed"),
    exchange("HEAD of a file", "HEAD /page.js HTTP/1.1\r\n{H}\r\n", 200, heads=True),
    exchange("HEAD of a hidden file", "HEAD /.hidden HTTP/1.1\r\n{H}\r\n", 404, heads=True),
    exchange("a range is not served in part", "GET /page.js HTTP/1.1\r\n{H}Range: bytes=0-1\r\n\r\n", 200),
    exchange(
        "ten thousand ranges", "GET /page.js HTTP/1.1\r\n{H}Range: bytes=" + "0-0," * 3000 + "0-1\r\n\r\n",
        200,
    ),
    exchange(
        "endless codings", "GET /page.js HTTP/1.1\r\n{H}Accept-Encoding: " + "gzip," * 2500 + "br\r\n\r\n",
        200,
    ),
    exchange("a quality that is none", "GET /page.js HTTP/1.1\r\n{H}Accept-Encoding: gzip;q=x\r\n\r\n", 200),
    exchange(
        "endless tags", "GET /page.js HTTP/1.1\r\n{H}If-None-Match: " + '"a",' * 3000 + '"b"\r\n\r\n', 200
    ),
    exchange("a tag that is none", "GET /page.js HTTP/1.1\r\n{H}If-None-Match: x\r\n\r\n", 200),
]
