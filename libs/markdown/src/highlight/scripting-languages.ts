import type { Language } from './languages.ts'
import { lexerFor, type Syntax } from './lexer.ts'
import { session } from './line-lexers.ts'

const PYTHON: Syntax = {
  keywords:
    'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield',
  constants: 'True False None Ellipsis NotImplemented',
  builtins:
    'abs all any bool bytes callable chr dict dir enumerate eval filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Exception KeyError TypeError ValueError',
  pseudo: 'self cls',
  punctuation: ':',
  comments: ['#'],
  multilineQuotes: ['"""', "'''"],
  quotes: ['"', "'"],
  annotations: '@',
}

const JAVASCRIPT: Syntax = {
  keywords:
    'as async await break case catch continue debugger default delete do else export extends finally for from get if import in instanceof new of return set static super switch this throw try typeof void while with yield',
  declarations: 'class const function let var',
  constants: 'true false null undefined NaN Infinity',
  builtins:
    'Array BigInt Boolean Date Error JSON Map Math Number Object Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet console document globalThis process require window',
  comments: ['//'],
  blockComments: [['/*', '*/']],
  multilineQuotes: ['`'],
  quotes: ['"', "'"],
  annotations: '@',
  wordCharacters: '$',
}

const TYPESCRIPT: Syntax = {
  ...JAVASCRIPT,
  keywords: `${JAVASCRIPT.keywords} abstract asserts declare implements infer is keyof module namespace override private protected public readonly satisfies`,
  declarations: 'class const enum function interface let type var',
  types: 'any bigint boolean never number object string symbol unknown void',
}

const RUBY: Syntax = {
  keywords:
    'alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo rescue retry return self super then undef unless until when while yield',
  constants: 'true false nil',
  builtins:
    'attr_accessor attr_reader attr_writer extend include lambda loop p print private proc protected public puts raise require require_relative',
  comments: ['#'],
  quotes: ['"', "'", '`'],
  variables: '@$',
}

const PHP: Syntax = {
  keywords:
    'abstract and as break case catch clone continue declare default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum exit extends final finally fn for foreach global goto if implements include include_once instanceof insteadof isset match namespace new or print private protected public readonly require require_once return static switch throw try unset use while xor yield',
  declarations: 'class const function interface trait',
  types: 'array bool callable float int iterable mixed object string void',
  constants: 'true false null TRUE FALSE NULL',
  comments: ['//', '#'],
  blockComments: [['/*', '*/']],
  multilineQuotes: ['"', "'"],
  variables: '$',
}

const PERL: Syntax = {
  keywords:
    'and cmp continue do else elsif eq for foreach ge given goto gt if last le lt ne next no not or package redo require return sub unless until use wantarray when while xor',
  declarations: 'my our local state',
  builtins:
    'chomp chop close defined delete die each exists grep join keys length map open print printf push ref reverse shift sort split sprintf unshift values warn',
  comments: ['#'],
  multilineQuotes: ['"', "'"],
  variables: '$@%',
}

const BASH: Syntax = {
  keywords: 'case do done elif else esac fi for function if in select then time until while',
  builtins:
    'alias bg bind break builtin cd command continue declare dirs disown echo enable eval exec exit export fg getopts hash help history jobs kill let local logout popd printf pushd pwd read readonly return set shift source sudo test times trap type typeset ulimit umask unalias unset wait',
  constants: 'true false',
  comments: ['#'],
  multilineQuotes: ['"', "'"],
  variables: '$',
  wordCharacters: '-',
}

const POWERSHELL: Syntax = {
  keywords:
    'begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while',
  comments: ['#'],
  blockComments: [['<#', '#>']],
  multilineQuotes: ['"', "'"],
  escapes: false,
  variables: '$',
  wordCharacters: '-',
  ignoresCase: true,
}

const LUA: Syntax = {
  keywords: 'and break do else elseif end for goto if in not or repeat return then until while',
  declarations: 'function local',
  constants: 'true false nil',
  builtins:
    'assert error ipairs next pairs pcall print require select self setmetatable tonumber tostring type',
  blockComments: [['--[[', ']]']],
  comments: ['--'],
  quotes: ['"', "'"],
}

const R: Syntax = {
  keywords: 'break else for function if in next repeat return while',
  constants: 'TRUE FALSE NULL NA NaN Inf',
  builtins:
    'c cat data.frame factor lapply length library list matrix mean names paste plot print rep sapply seq sum vector',
  comments: ['#'],
  quotes: ['"', "'"],
  wordCharacters: '.',
}

const JULIA: Syntax = {
  keywords:
    'baremodule begin break catch continue do else elseif end export finally for if import in isa let macro module outer quote return try using where while',
  declarations: 'abstract const function global local mutable primitive struct type',
  types: 'Any Array Bool Char Dict Float32 Float64 Int Int32 Int64 Nothing String Symbol Tuple Vector',
  constants: 'true false nothing missing',
  comments: ['#'],
  blockComments: [['#=', '=#']],
  multilineQuotes: ['"""'],
  quotes: ['"'],
  annotations: '@',
}

const ELIXIR: Syntax = {
  keywords:
    'after alias and case catch cond defdelegate defexception defguard defimpl defmacro defoverridable defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue super throw try unless unquote use when with',
  declarations: 'def defmodule defp',
  constants: 'true false nil',
  comments: ['#'],
  multilineQuotes: ['"""', '"'],
  variables: '@',
}

const ERLANG: Syntax = {
  keywords:
    'after and andalso band begin bnot bor bsl bsr bxor case catch cond div else end fun if let maybe not of or orelse receive rem try when xor',
  constants: 'true false undefined ok error',
  comments: ['%'],
  quotes: ['"', "'"],
  annotations: '-',
}

const LISP: Syntax = {
  keywords:
    'and case cond def defmacro defmethod defn defun defvar define do else fn for if lambda let loop ns or progn quote recur require setq unless when while',
  constants: 'true false nil t',
  comments: [';'],
  multilineQuotes: ['"'],
  wordCharacters: '-*+!?<>=/',
}

const MATLAB: Syntax = {
  keywords:
    'break case catch continue else elseif end for function global if otherwise parfor persistent return switch try while',
  constants: 'true false pi Inf NaN',
  comments: ['%'],
  quotes: ['"'],
}

const GROOVY: Syntax = {
  ...JAVASCRIPT,
  keywords: `${JAVASCRIPT.keywords} abstract assert def final implements package private protected public synchronized throws trait`,
  declarations: 'class enum interface def',
  multilineQuotes: ['"""', "'''"],
}

/** Languages that are run as they are written. */
export const SCRIPTING: readonly Language[] = [
  { label: 'Bash', names: ['bash', 'sh', 'shell', 'zsh', 'ksh', 'fish'], lexer: lexerFor(BASH) },
  { label: 'Bash Session', names: ['console', 'shell-session', 'terminal'], lexer: session(lexerFor(BASH)) },
  { label: 'Clojure', names: ['clojure', 'clj'], lexer: lexerFor(LISP) },
  { label: 'Common Lisp', names: ['lisp', 'common-lisp', 'cl'], lexer: lexerFor(LISP) },
  { label: 'EmacsLisp', names: ['elisp', 'emacs-lisp'], lexer: lexerFor(LISP) },
  { label: 'Scheme', names: ['scheme', 'scm', 'racket'], lexer: lexerFor(LISP) },
  { label: 'Elixir', names: ['elixir', 'ex', 'exs'], lexer: lexerFor(ELIXIR) },
  { label: 'Erlang', names: ['erlang', 'erl'], lexer: lexerFor(ERLANG) },
  { label: 'Groovy', names: ['groovy', 'gradle'], lexer: lexerFor(GROOVY) },
  {
    label: 'JavaScript',
    names: ['javascript', 'js', 'jsx', 'mjs', 'cjs', 'node'],
    lexer: lexerFor(JAVASCRIPT),
  },
  { label: 'Julia', names: ['julia', 'jl'], lexer: lexerFor(JULIA) },
  { label: 'Lua', names: ['lua'], lexer: lexerFor(LUA) },
  { label: 'Matlab', names: ['matlab', 'octave'], lexer: lexerFor(MATLAB) },
  { label: 'PHP', names: ['php'], lexer: lexerFor(PHP) },
  { label: 'Perl', names: ['perl', 'pl'], lexer: lexerFor(PERL) },
  { label: 'PowerShell', names: ['powershell', 'ps1', 'pwsh', 'posh'], lexer: lexerFor(POWERSHELL) },
  { label: 'Python', names: ['python', 'py', 'python3', 'py3', 'sage'], lexer: lexerFor(PYTHON) },
  { label: 'Python 2.x', names: ['python2', 'py2'], lexer: lexerFor(PYTHON) },
  { label: 'Python console session', names: ['pycon'], lexer: session(lexerFor(PYTHON)) },
  { label: 'Ruby', names: ['ruby', 'rb'], lexer: lexerFor(RUBY) },
  { label: 'S', names: ['r', 's', 'splus'], lexer: lexerFor(R) },
  { label: 'TypeScript', names: ['typescript', 'ts', 'tsx'], lexer: lexerFor(TYPESCRIPT) },
]
