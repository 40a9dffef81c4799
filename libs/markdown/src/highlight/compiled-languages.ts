import type { Language } from './languages.ts'
import { lexerFor, type Syntax } from './lexer.ts'

const C_COMMENTS = { comments: ['//'], blockComments: [['/*', '*/']] } as const

const C: Syntax = {
  ...C_COMMENTS,
  keywords:
    'auto break case const continue default do else extern for goto if inline register restrict return sizeof static switch typedef volatile while',
  declarations: 'struct union enum',
  types:
    'void char short int long float double signed unsigned bool size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t',
  constants: 'NULL true false',
  quotes: ['"', "'"],
  preprocessor: '#',
}

const CPP: Syntax = {
  ...C,
  keywords: `${C.keywords} alignas alignof and catch concept const_cast consteval constexpr co_await co_return co_yield decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept not operator or override private protected public reinterpret_cast requires static_assert static_cast template this throw try typeid typename using virtual`,
  declarations: 'class struct union enum',
  types: `${C.types} char8_t char16_t char32_t wchar_t`,
  constants: 'NULL nullptr true false',
}

const JAVA: Syntax = {
  ...C_COMMENTS,
  keywords:
    'abstract assert break case catch continue default do else extends final finally for if implements import instanceof native new package permits private protected public return sealed static strictfp super switch synchronized this throw throws transient try volatile while yield',
  declarations: 'class interface enum record var',
  types: 'boolean byte char double float int long short void',
  constants: 'true false null',
  multilineQuotes: ['"""'],
  quotes: ['"', "'"],
  annotations: '@',
}

const CSHARP: Syntax = {
  ...C_COMMENTS,
  keywords:
    'abstract as async await base break case catch checked continue default delegate do else event explicit extern finally fixed for foreach from get goto group if implicit in internal into is join let lock nameof namespace new operator orderby out override params partial private protected public readonly ref return sealed select set sizeof stackalloc static switch this throw try typeof unchecked unsafe using virtual volatile when where while with yield',
  declarations: 'class interface struct enum record var const',
  types:
    'bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void',
  constants: 'true false null',
  multilineQuotes: ['"""'],
  quotes: ['"', "'"],
  preprocessor: '#',
}

const GO: Syntax = {
  ...C_COMMENTS,
  keywords:
    'break case chan continue default defer else fallthrough for go goto if import package range return select switch',
  declarations: 'func type struct interface map var const',
  types:
    'any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr',
  constants: 'true false nil iota',
  builtins:
    'append cap clear close complex copy delete imag len make max min new panic print println real recover',
  multilineQuotes: ['`'],
  quotes: ['"', "'"],
}

const RUST: Syntax = {
  ...C_COMMENTS,
  keywords:
    'as async await break const continue crate dyn else extern for if impl in loop match mod move mut pub ref return self Self static super type unsafe use where while yield',
  declarations: 'fn let struct enum trait union',
  types:
    'bool char f32 f64 i8 i16 i32 i64 i128 isize str String u8 u16 u32 u64 u128 usize Box Option Result Vec',
  constants: 'true false None Some Ok Err',
  multilineQuotes: ['"'],
}

const KOTLIN: Syntax = {
  ...C_COMMENTS,
  keywords:
    'abstract actual annotation as break by catch companion constructor continue crossinline data do else expect external final finally for get if import in infix init inline inner internal is lateinit noinline open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias vararg when where while',
  declarations: 'class fun interface object val var enum',
  types: 'Any Boolean Byte Char Double Float Int List Long Map Nothing Set Short String Unit',
  constants: 'true false null',
  multilineQuotes: ['"""'],
  quotes: ['"', "'"],
  annotations: '@',
}

const SWIFT: Syntax = {
  ...C_COMMENTS,
  keywords:
    'as async await break case catch continue convenience default defer deinit do else extension fallthrough fileprivate final for get guard if import in indirect init inout internal is lazy mutating nonmutating open operator override private public repeat required rethrows return self Self set some static subscript super switch throw throws try typealias unowned weak where while willSet didSet',
  declarations: 'actor class enum func let protocol struct var',
  types: 'Any Array Bool Character Dictionary Double Float Int Optional Set String Void',
  constants: 'true false nil',
  multilineQuotes: ['"""'],
  quotes: ['"'],
  annotations: '@',
  preprocessor: '#',
}

const SCALA: Syntax = {
  ...C_COMMENTS,
  keywords:
    'abstract case catch do else export extends final finally for forSome given if implicit import lazy match new override package private protected return sealed super then this throw try using while with yield',
  declarations: 'class def enum object trait type val var',
  types: 'Any AnyRef Boolean Byte Char Double Float Int List Long Map Nothing Option Set Short String Unit',
  constants: 'true false null None',
  multilineQuotes: ['"""'],
  quotes: ['"', "'"],
  annotations: '@',
}

const DART: Syntax = {
  ...C_COMMENTS,
  keywords:
    'abstract as assert async await break case catch continue covariant default deferred do else export extends extension external factory finally for get hide if implements import in is late library mixin new on operator part required rethrow return sealed set show static super switch sync this throw try typedef when while with yield',
  declarations: 'class const enum final var',
  types: 'bool double dynamic int num void Future List Map Object Set Stream String',
  constants: 'true false null',
  multilineQuotes: ['"""', "'''"],
  quotes: ['"', "'"],
  annotations: '@',
}

const HASKELL: Syntax = {
  keywords:
    'as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of qualified then type where',
  types: 'Bool Char Double Either Float IO Int Integer Maybe Ordering String',
  constants: 'True False Nothing Just Left Right',
  comments: ['--'],
  blockComments: [['{-', '-}']],
  quotes: ['"'],
  wordCharacters: "'",
}

const OCAML: Syntax = {
  keywords:
    'and as assert begin class constraint do done downto else end exception external for fun function functor if in include inherit initializer lazy let match method module mutable new nonrec object of open or private rec sig struct then to try type val virtual when while with',
  types: 'array bool bytes char exn float int list option string unit',
  constants: 'true false None Some',
  blockComments: [['(*', '*)']],
  multilineQuotes: ['"'],
}

const FSHARP: Syntax = {
  ...OCAML,
  keywords: `${OCAML.keywords} abstract async default delegate elif finally global inline interface internal member namespace not null override public return select static use void yield`,
  comments: ['//'],
}

const ZIG: Syntax = {
  keywords:
    'align and asm async await break catch comptime continue defer else errdefer error export extern for if inline nosuspend or orelse packed pub resume return suspend switch test try unreachable usingnamespace volatile while',
  declarations: 'const enum fn struct union var',
  types: 'bool f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void anyerror anytype type noreturn',
  constants: 'true false null undefined',
  comments: ['//'],
  quotes: ['"', "'"],
  annotations: '@',
}

const PROTOBUF: Syntax = {
  ...C_COMMENTS,
  keywords:
    'edition extend extensions import oneof option optional package public repeated required reserved returns rpc syntax to',
  declarations: 'enum message service',
  types:
    'bool bytes double fixed32 fixed64 float int32 int64 map sfixed32 sfixed64 sint32 sint64 string uint32 uint64',
  constants: 'true false',
  quotes: ['"', "'"],
}

const ASSEMBLY: Syntax = {
  keywords:
    'add and call cmp dec div inc int ja jb je jg jge jl jle jmp jne jnz jz lea loop mov mul neg nop not or pop push ret shl shr sub syscall test xor',
  declarations: 'section global extern db dw dd dq equ',
  types:
    'al ah ax bl bx cl cx dl dx eax ebx ecx edx esi edi esp ebp rax rbx rcx rdx rsi rdi rsp rbp r8 r9 r10 r11 r12 r13 r14 r15',
  comments: [';', '#'],
  quotes: ['"', "'"],
  ignoresCase: true,
}

/** Languages that are compiled, most of them with braces. */
export const COMPILED: readonly Language[] = [
  { label: 'C', names: ['c', 'h', 'objective-c', 'objc'], lexer: lexerFor(C) },
  { label: 'C++', names: ['c++', 'cpp', 'cc', 'cxx', 'hpp', 'arduino'], lexer: lexerFor(CPP) },
  { label: 'C#', names: ['c#', 'csharp', 'cs'], lexer: lexerFor(CSHARP) },
  { label: 'Dart', names: ['dart'], lexer: lexerFor(DART) },
  { label: 'F#', names: ['f#', 'fsharp', 'fs'], lexer: lexerFor(FSHARP) },
  { label: 'Go', names: ['go', 'golang'], lexer: lexerFor(GO) },
  { label: 'Haskell', names: ['haskell', 'hs'], lexer: lexerFor(HASKELL) },
  { label: 'Java', names: ['java'], lexer: lexerFor(JAVA) },
  { label: 'Kotlin', names: ['kotlin', 'kt'], lexer: lexerFor(KOTLIN) },
  { label: 'NASM', names: ['nasm', 'asm', 'assembly'], lexer: lexerFor(ASSEMBLY) },
  { label: 'OCaml', names: ['ocaml', 'ml'], lexer: lexerFor(OCAML) },
  { label: 'Protocol Buffer', names: ['protobuf', 'proto'], lexer: lexerFor(PROTOBUF) },
  { label: 'Rust', names: ['rust', 'rs'], lexer: lexerFor(RUST) },
  { label: 'Scala', names: ['scala'], lexer: lexerFor(SCALA) },
  { label: 'Swift', names: ['swift'], lexer: lexerFor(SWIFT) },
  { label: 'Zig', names: ['zig'], lexer: lexerFor(ZIG) },
]
