// The least that a server on libuv and llhttp can do: what Sluice is measured beside.
//
// POST, whatever the path: the body, unchecked, goes to every subscriber in a frame that looks like Sluice's; the answer
// looks like Sluice's too. WebSocket: every text message subscribes its connection. There is no graph, no check of what
// comes in, no limit, no time-out, and no answer to anything else. Answers of pipelined requests leave in one write, as
// anybody would do it; each delivery is a write of its own.
//
//     cc -O2 -o minimal minimal.c $(pkg-config --cflags --libs libllhttp libuv libcrypto)

#include <llhttp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum { headRoom = 256, bodyRoom = 65536, answerRoom = 65536 };

// What is needed while HTTP is spoken; freed at the upgrade, so that a quiet WebSocket costs its handle and little else.
struct http {
    llhttp_t parser;
    char field[32], key[32];
    size_t fieldLength, keyLength;
    int inValue;
    char *body;
    size_t bodyLength;
};

struct connection {
    uv_tcp_t tcp;
    struct http *http;
    size_t place;  // among the subscribers, one more than the index; 0: none of them
};

static uv_loop_t *loop;
static llhttp_settings_t settings;
static char readBuffer[65536], answers[answerRoom];
static size_t answersLength;
static struct connection **subscribers;
static size_t subscriberCount, subscriberRoom;
static unsigned long rev;

// Bytes the kernel would not take at once.
struct rest {
    uv_write_t request;
    char bytes[];
};

static void gone(uv_handle_t *handle) {
    struct connection *c = (struct connection *)handle;
    if (c->http) free(c->http->body);
    free(c->http);
    free(c);
}

static void end(struct connection *c) {
    if (uv_is_closing((uv_handle_t *)c)) return;
    if (c->place) {
        struct connection *last = subscribers[--subscriberCount];
        subscribers[c->place - 1] = last;
        last->place = c->place;
        c->place = 0;
    }
    uv_close((uv_handle_t *)c, gone);
}

static void wrote(uv_write_t *request, int status) {
    struct connection *c = (struct connection *)request->handle;
    free(request);
    if (status < 0) end(c);
}

static void sendBytes(struct connection *c, const char *bytes, size_t length) {
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)length);
    int taken = uv_try_write((uv_stream_t *)c, &buffer, 1);
    if (taken == (int)length) return;
    if (taken < 0 && taken != UV_EAGAIN) return;  // the reader hears of it
    if (taken < 0) taken = 0;
    struct rest *rest = malloc(sizeof *rest + length - taken);
    memcpy(rest->bytes, bytes + taken, length - taken);
    buffer = uv_buf_init(rest->bytes, (unsigned)(length - taken));
    if (uv_write(&rest->request, (uv_stream_t *)c, &buffer, 1, wrote) < 0) free(rest);
}

// A frame as a server sends it (RFC 6455 section 5.2), built in front of the text.
static void sendText(struct connection *c, char *text, size_t length) {
    unsigned char *frame = (unsigned char *)text - (length < 126 ? 2 : 4);
    frame[0] = 0x81;
    frame[1] = length < 126 ? length : 126;
    if (length >= 126) frame[2] = length >> 8, frame[3] = length & 255;
    sendBytes(c, (char *)frame, (size_t)(text - (char *)frame) + length);
}

static unsigned long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000ull + time.tv_nsec / 1000000;
}

static void publish(const char *value, size_t length) {
    if (!subscriberCount) return;
    static char buffer[headRoom + bodyRoom + 16];
    char *text = buffer + 8;
    unsigned long long t = now();
    int head = snprintf(text, headRoom, "{\"op\":\"upd\",\"graph\":\"house\",\"rev\":%lu,\"t\":%llu,\"d\":[{\"id\":1,\"v\":",
                        rev, t);
    memcpy(text + head, value, length);
    memcpy(text + head + length, "}]}", 3);
    // The frame's head is the same for all; its bytes are written anew, which costs nothing beside the system call.
    for (size_t i = 0; i < subscriberCount; i++) sendText(subscribers[i], text, head + length + 3);
}

static void subscribe(struct connection *c) {
    if (c->place) return;
    if (subscriberCount == subscriberRoom) {
        subscriberRoom = subscriberRoom ? 2 * subscriberRoom : 64;
        subscribers = realloc(subscribers, subscriberRoom * sizeof *subscribers);
    }
    subscribers[subscriberCount++] = c;
    c->place = subscriberCount;
    char buffer[headRoom], *text = buffer + 8;
    int length = snprintf(text, headRoom - 8, "{\"op\":\"snap\",\"id\":1,\"epoch\":\"minimal000\",\"rev\":%lu,\"t\":%llu}",
                          rev, now());
    sendText(c, text, length);
}

// MARK: HTTP

static int onMessageBegin(llhttp_t *parser) {
    struct http *http = ((struct connection *)parser->data)->http;
    http->fieldLength = http->keyLength = http->bodyLength = 0;
    return 0;
}

static int onField(llhttp_t *parser, const char *at, size_t length) {
    struct http *http = ((struct connection *)parser->data)->http;
    if (http->inValue) http->fieldLength = 0, http->inValue = 0;
    if (http->fieldLength + length < sizeof http->field) {
        memcpy(http->field + http->fieldLength, at, length);
        http->fieldLength += length;
    }
    return 0;
}

static int onValue(llhttp_t *parser, const char *at, size_t length) {
    struct http *http = ((struct connection *)parser->data)->http;
    http->inValue = 1;
    if (http->fieldLength == 17 && http->keyLength + length < sizeof http->key
        && !strncasecmp(http->field, "Sec-WebSocket-Key", 17)) {
        memcpy(http->key + http->keyLength, at, length);
        http->keyLength += length;
    }
    return 0;
}

static int onBody(llhttp_t *parser, const char *at, size_t length) {
    struct http *http = ((struct connection *)parser->data)->http;
    if (http->bodyLength + length > bodyRoom) return -1;
    if (!http->body) http->body = malloc(bodyRoom);
    memcpy(http->body + http->bodyLength, at, length);
    http->bodyLength += length;
    return 0;
}

static void flushAnswers(struct connection *c) {
    if (answersLength) sendBytes(c, answers, answersLength);
    answersLength = 0;
}

#define answer(text) (memcpy(answers + answersLength, text, sizeof text - 1), answersLength += sizeof text - 1)

static void answerNumber(unsigned long number, size_t digits) {
    for (size_t place = digits; place > 0; number /= 10) answers[answersLength + --place] = '0' + number % 10;
    answersLength += digits;
}

static int onMessageComplete(llhttp_t *parser) {
    struct connection *c = parser->data;
    if (parser->upgrade) return 0;
    rev++;
    publish(c->http->body, c->http->bodyLength);
    if (answersLength + 512 > answerRoom) flushAnswers(c);
    size_t digits = 1;
    for (unsigned long n = rev; n >= 10; n /= 10) digits++;
    answer("HTTP/1.1 200 OK\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nETag: \"minimal000:");
    answerNumber(rev, digits);
    answer("\"\r\nContent-Type: application/json\r\nContent-Length: ");
    answerNumber(30 + digits, 2);
    answer("\r\n\r\n{\"epoch\":\"minimal000\",\"rev\":");
    answerNumber(rev, digits);
    answer("}\n");
    return 0;
}

static void upgrade(struct connection *c) {
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[21] = {0};
    char text[80], accept[29] = {0}, reply[256];
    memcpy(text, c->http->key, c->http->keyLength);
    memcpy(text + c->http->keyLength, guid, 36);
    SHA1((unsigned char *)text, c->http->keyLength + 36, digest);
    for (int i = 0, o = 0; i < 21; i += 3, o += 4) {
        unsigned group = digest[i] << 16 | digest[i + 1] << 8 | digest[i + 2];
        for (int k = 0; k < 4; k++) accept[o + k] = digits[group >> (18 - 6 * k) & 63];
    }
    accept[27] = '=';
    sendBytes(c, reply,
              sprintf(reply,
                      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                      "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: sluice.v1.json\r\n\r\n",
                      accept));
    free(c->http->body);
    free(c->http);
    c->http = NULL;
}

// MARK: Reading

// Whole frames of less than 64 KiB, as the load sends them.
static void readFrames(struct connection *c, const unsigned char *bytes, size_t length) {
    while (length >= 6) {
        size_t payload = bytes[1] & 127, head = payload == 126 ? 8 : 6;
        if (payload == 126) payload = bytes[2] << 8 | bytes[3];
        if (length < head + payload) return;
        if ((bytes[0] & 15) == 1) subscribe(c);
        if ((bytes[0] & 15) == 8) return end(c);
        bytes += head + payload;
        length -= head + payload;
    }
}

static void lend(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)handle, (void)suggested;
    *buffer = uv_buf_init(readBuffer, sizeof readBuffer);
}

static void received(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    struct connection *c = (struct connection *)stream;
    if (count < 0) return end(c);
    if (!c->http) return readFrames(c, (unsigned char *)buffer->base, count);
    llhttp_errno_t error = llhttp_execute(&c->http->parser, buffer->base, count);
    flushAnswers(c);
    if (error == HPE_PAUSED_UPGRADE) {
        const char *rest = llhttp_get_error_pos(&c->http->parser);
        upgrade(c);
        readFrames(c, (unsigned char *)rest, buffer->base + count - rest);
    } else if (error != HPE_OK) {
        end(c);
    }
}

static void connected(uv_stream_t *server, int status) {
    if (status < 0) return;
    struct connection *c = calloc(1, sizeof *c);
    uv_tcp_init(loop, &c->tcp);
    if (uv_accept(server, (uv_stream_t *)c) < 0) return end(c);
    uv_tcp_nodelay(&c->tcp, 1);
    c->http = calloc(1, sizeof *c->http);
    llhttp_init(&c->http->parser, HTTP_REQUEST, &settings);
    c->http->parser.data = c;
    uv_read_start((uv_stream_t *)c, lend, received);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    loop = uv_default_loop();
    llhttp_settings_init(&settings);
    settings.on_message_begin = onMessageBegin;
    settings.on_header_field = onField;
    settings.on_header_value = onValue;
    settings.on_body = onBody;
    settings.on_message_complete = onMessageComplete;
    uv_tcp_t server;
    struct sockaddr_in address;
    int length = sizeof address;
    uv_tcp_init(loop, &server);
    uv_ip4_addr("127.0.0.1", 0, &address);
    if (uv_tcp_bind(&server, (struct sockaddr *)&address, 0) || uv_listen((uv_stream_t *)&server, 4096, connected)) return 1;
    uv_tcp_getsockname(&server, (struct sockaddr *)&address, &length);
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
