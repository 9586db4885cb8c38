"""The names of Combine and RxSwift, written by mistake: the compiler says what the library calls each."""

import re
import subprocess

import pytest

from test_library import program  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.long, pytest.mark.first]

# What a newcomer writes, the words of the fix-it or of the message, and what it should be. The
# words of a fix-it are all that the compiler writes by itself; what it only says stands in quotes.
COMBINE = """
numbers.sink { print($0) } | listen | numbers.listen(in: bag) { print($0) }
numbers.sink(receiveValue: { print($0) }) | listen | numbers.listen(in: bag) { print($0) }
numbers.writable().sink { print($0) } | listen | numbers.writable().listen(in: bag) { print($0) }
numbers.sink(receiveCompletion: { (_: Int) in }, receiveValue: { print($0) }) | "no node completes"
    | numbers.listen(in: bag) { print($0) }
numbers.assign(to: \\.count, on: model) | "listen(owner: object) { $0.property = $1 }"
    | numbers.listen(owner: model) { $0.count = $1 }
numbers.combineLatest(texts).listen(in: bag) { print($0, $1) } | combine with:
    | numbers.combine(with: texts).listen(in: bag) { print($0, $1) }
numbers.combineLatest(texts) { "\\($0)\\($1)" }.map { $0.count } | combine with:
    | numbers.combine(with: texts) { "\\($0)\\($1)" }.map { $0.count }
numbers.combineLatest(texts, texts) | "Node.combine(a, b, c)" | Node.combine(numbers, texts, texts)
numbers.removeDuplicates().map { $0 + 1 } | distinct | numbers.distinct().map { $0 + 1 }
numbers.removeDuplicates { $0 == $1 } | distinct | numbers.distinct { $0 == $1 }
numbers.removeDuplicates(by: { $0 == $1 }) | distinct | numbers.distinct(by: { $0 == $1 })
texts.compactMap { Int($0) }.map { $0 + 1 } | map | texts.map { Int($0) }.ignoreNil().map { $0 + 1 }
texts.compactMap { Int($0) } | "put .ignoreNil() after it" | texts.map { Int($0) }.ignoreNil()
numbers.flatMap { _ in texts } | flattenMap | numbers.flattenMap { _ in texts }
numbers.map { _ in texts as Node<String> }.switchToLatest().map { $0.count } | flatten
    | numbers.map { _ in texts as Node<String> }.flatten().map { $0.count }
numbers.dropFirst(2) | skip | numbers.skip(2)
numbers.zip(texts).map { $0.0 + 1 } | with: | numbers.zip(with: texts).map { $0.0 + 1 }
numbers.first().map { $0 + 1 } | "prefix(1)" | numbers.prefix(1).map { $0 + 1 }
numbers.prepend(3) | "ifEmpty" | numbers.ifEmpty(3)
numbers.handleEvents(receiveOutput: { print($0) }).map { $0 + 1 } | "listen(in: bag)"
    | numbers.listen(in: bag) { print($0) }
numbers.replaceEmpty(with: 1) | "renamed to 'ifEmpty(_:)'" | numbers.ifEmpty(1)
numbers.receive(on: loop) | deliver | numbers.deliver(on: loop)
numbers.debounce(for: .seconds(1), scheduler: loop) | "leave the scheduler out"
    | numbers.debounce(for: .seconds(1))
numbers.throttle(for: .seconds(1), scheduler: loop, latest: true) | "sample(every:)"
    | numbers.sample(every: .seconds(1))
numbers.delay(for: .seconds(1), scheduler: loop) | "leave the scheduler out"
    | numbers.delay(for: .seconds(1))
numbers.map { $0 + 1 }.eraseToAnyPublisher() | "leave it out" | numbers.map { $0 + 1 }
numbers.map { $0 + 1 }.share() | "leave it out" | numbers.map { $0 + 1 }
numbers.send(2) | set | numbers.set(2)
numbers.listen(in: bag) { print($0) }.store(in: &tokens) | "CancellableBag"
    | numbers.listen(in: bag) { print($0) }.store(in: bag)
"""
RX_SWIFT = """
numbers.subscribe(onNext: { print($0) }) | "renamed to 'listen(in:_:)'"
    | numbers.listen(in: bag) { print($0) }
numbers.bind { print($0) } | listen | numbers.listen(in: bag) { print($0) }
numbers.drive(onNext: { print($0) }) | "renamed to 'listen(in:_:)'"
    | numbers.listen(in: bag) { print($0) }
numbers.bind(to: others) | "target.link(to: source)" | others.link(to: numbers)
numbers.distinctUntilChanged().map { $0 + 1 } | distinct | numbers.distinct().map { $0 + 1 }
numbers.distinctUntilChanged { $0 == $1 } | distinct | numbers.distinct { $0 == $1 }
texts.distinctUntilChanged { $0.count } | "distinct { $0.key == $1.key }"
    | texts.distinct { $0.count == $1.count }
texts.distinctUntilChanged(at: \\.count) | "distinct { $0.key == $1.key }"
    | texts.distinct { $0.count == $1.count }
numbers.flatMapLatest { _ in texts }.map { $0.count } | flattenMap
    | numbers.flattenMap { _ in texts }.map { $0.count }
numbers.map { _ in texts as Node<String> }.switchLatest() | flatten
    | numbers.map { _ in texts as Node<String> }.flatten()
numbers.withLatestFrom(texts) | withLatest from: | numbers.withLatest(from: texts)
numbers.withLatestFrom(texts, resultSelector: { "\\($0)\\($1)" }) | withLatest from:
    | numbers.withLatest(from: texts) { "\\($0)\\($1)" }
Node.combineLatest(numbers, texts) | combine | Node.combine(numbers, texts)
Node.combineLatest(numbers, texts) { "\\($0)\\($1)" } | combineEach
    | Node.combineEach(numbers, texts) { "\\($0)\\($1)" }
numbers.startWith(3) | "ifEmpty" | numbers.ifEmpty(3)
numbers.do(onNext: { print($0) }).map { $0 + 1 } | "listen(in: bag)"
    | numbers.listen(in: bag) { print($0) }
numbers.observe(on: loop) | deliver | numbers.deliver(on: loop)
numbers.debounce(.seconds(1), scheduler: loop) | "debounce(for:)"
    | numbers.debounce(for: .seconds(1))
numbers.throttle(.seconds(1), scheduler: loop) | "sample(every:edge:)"
    | numbers.sample(every: .seconds(1), edge: .both)
numbers.delay(.seconds(1), scheduler: loop) | "delay(for:)" | numbers.delay(for: .seconds(1))
numbers.asObservable() | "leave it out" | numbers
numbers.accept(2) | set | numbers.set(2)
numbers.onNext(2) | set | numbers.set(2)
token.disposed(by: bag) | store in | token.store(in: bag)
token.dispose() | cancel | token.cancel()
"""
# Nothing of the library is hidden by a name of others, nor a member that a program declares itself.
STILL_THERE = """
numbers.send(.value(4))
numbers.send(.empty)
numbers.send(Emission<Int>.value(4), context: nil)
graph.mutable(Emission<Int>.value(1)).set(.empty)
numbers.debounce(for: .seconds(1), edge: .leading)
numbers.throttle(for: .seconds(1))
numbers.delay(for: .seconds(1), buffer: .dropOldest(2))
numbers.merge(with: others).zip(with: texts)
numbers.listen(in: bag) { print($0) }.store(in: bag)
numbers.asObservable().own().map { $0 + 1 }
numbers.compactMap("own").map { $0 + 1 }
numbers.share(1).map { $0 + 1 }
"""
OWN = """
protocol Own {}
extension Own { func asObservable() -> Self { self } }
extension Node: Own {
    func own() -> Node<Value> { self }
    func share(_ count: Int) -> Node<Value> { self }
    func compactMap(_ name: String) -> Node<Value> { self }
}
"""
PRELUDE = """import ReactiveGraph

final class Model { var count = 0 }

func use(
    _ graph: Graph, _ bag: CancellableBag, _ loop: ManualExecutor, _ model: Model, _ token: CancelToken
) {
    let numbers = graph.mutable(1)
    let others = graph.mutable(2)
    let texts = graph.mutable("a")
    var tokens: Set<Int> = []
"""


def rows(table):
    lines = table.strip().replace("\n    | ", " | ").splitlines()
    return [line.split(" | ") for line in lines]


@pytest.fixture(scope="module")
def diagnostics(program, tmp_path_factory):  # noqa: F811
    """Type-checks lines, each for itself; gives for each its errors and the words of its fix-its."""
    scratch = program.parent
    folder = tmp_path_factory.mktemp("names")

    def check(lines, declarations=""):
        source = folder / "use.swift"
        body = "".join(f"    do {{ {line} }}\n" for line in lines)
        source.write_text(PRELUDE + body + "}\n" + declarations)
        result = subprocess.run(
            [
                "swiftc", "-frontend", "-typecheck", "-diagnostic-style", "llvm", "-swift-version", "6",
                "-suppress-warnings", "-module-name", "use", "-I", scratch / "Modules", "-Xcc",
                f"-fmodule-map-file={scratch}/CConcurrency.build/module.modulemap", source,
            ],
            capture_output=True, text=True,
        )
        first = PRELUDE.count("\n") + 1
        found = {line: ([], "") for line in lines}
        # An error, the line it is about, a line of marks and, if there are any, one of fix-its.
        for number, message, fixes in re.findall(
            r"use\.swift:(\d+):\d+: error: (.*)\n.*\n *[\^~][ ~^]*\n((?: +[^ \n/].*\n)?)", result.stderr
        ):
            errors, words = found[lines[int(number) - first]]
            found[lines[int(number) - first]] = (errors + [message], words + fixes)
        assert result.returncode == 0 or any(errors for errors, _ in found.values()), result.stderr
        return found

    return check


@pytest.mark.timeout(600)
@pytest.mark.parametrize("table", [COMBINE, RX_SWIFT], ids=["Combine", "RxSwift"])
def test_the_compiler_says_what_a_name_is_called_here(diagnostics, table):
    found = diagnostics([written for written, _, _ in rows(table)])
    wrong = []
    for written, wanted, _ in rows(table):
        errors, fixes = found[written]
        said = wanted.strip('"') in " ".join(errors) if wanted[0] == '"' else fixes.split() == wanted.split()
        if len(errors) != 1 or not said:
            wrong.append((written, wanted, errors, fixes.split()))
    assert not wrong


@pytest.mark.timeout(600)
def test_what_it_says_compiles(diagnostics):
    found = diagnostics([instead for _, _, instead in rows(COMBINE) + rows(RX_SWIFT)])
    assert {line: errors for line, (errors, _) in found.items() if errors} == {}


@pytest.mark.timeout(600)
def test_no_name_of_others_hides_a_member(diagnostics):
    found = diagnostics(STILL_THERE.strip().splitlines(), OWN)
    assert {line: errors for line, (errors, _) in found.items() if errors} == {}
