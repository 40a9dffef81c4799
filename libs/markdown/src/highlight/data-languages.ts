import type { Language } from './languages.ts'
import { lexerFor, type Syntax } from './lexer.ts'
import { diff, http, markup, properties, tex, yaml } from './line-lexers.ts'

const JSON_SYNTAX: Syntax = {
  constants: 'true false null',
  punctuation: ':',
  quotes: ['"'],
  comments: ['//'],
  hasKeys: true,
}

const SQL: Syntax = {
  keywords:
    'add all alter analyze and any as asc begin between by case cast check collate column commit conflict constraint create cross current database default delete desc distinct do drop else end except exists explain fetch filter for foreign from full function grant group having if in index inner insert intersect into is join key lateral left like limit natural not nothing offset on only or order outer over partition primary procedure recursive references returning revoke right rollback row rows select set table then to transaction trigger truncate union unique update using values view when where window with',
  types:
    'bigint bigserial bit blob boolean bool bytea char character date datetime decimal double float int integer interval json jsonb numeric precision real serial smallint text time timestamp timestamptz uuid varchar',
  constants: 'true false null',
  builtins: 'avg coalesce count max min now nullif sum',
  comments: ['--'],
  blockComments: [['/*', '*/']],
  multilineQuotes: ["'", '"'],
  escapes: false,
  ignoresCase: true,
}

const CSS: Syntax = {
  keywords: 'from important to',
  comments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'"],
  wordCharacters: '-',
  annotations: '@',
  variables: '$#.',
}

const GRAPHQL: Syntax = {
  keywords: 'directive extend fragment implements mutation on query schema subscription',
  declarations: 'enum input interface scalar type union',
  types: 'Boolean Float ID Int String',
  constants: 'true false null',
  comments: ['#'],
  multilineQuotes: ['"""'],
  quotes: ['"'],
  variables: '$',
  annotations: '@',
}

const DOCKER: Syntax = {
  keywords:
    'ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR',
  comments: ['#'],
  quotes: ['"', "'"],
  variables: '$',
}

const MAKE: Syntax = {
  keywords: 'define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath',
  comments: ['#'],
  quotes: ['"', "'"],
  variables: '$',
}

const NGINX: Syntax = {
  keywords:
    'alias allow deny error_page events http if include index listen location proxy_pass proxy_set_header return rewrite root server server_name set ssl_certificate try_files upstream',
  constants: 'on off',
  comments: ['#'],
  quotes: ['"', "'"],
  variables: '$',
}

const TERRAFORM: Syntax = {
  keywords: 'data for for_each if in locals module output provider resource terraform variable',
  types: 'any bool list map number object set string',
  constants: 'true false null',
  comments: ['#', '//'],
  blockComments: [['/*', '*/']],
  quotes: ['"'],
}

const NIX: Syntax = {
  keywords: 'assert else if in inherit let or rec then with',
  constants: 'true false null',
  builtins: 'builtins import map throw',
  comments: ['#'],
  blockComments: [['/*', '*/']],
  multilineQuotes: ["''", '"'],
  wordCharacters: "-'",
}

/** Notations for data, documents and configuration. */
export const DATA: readonly Language[] = [
  { label: 'CSS', names: ['css'], lexer: lexerFor(CSS) },
  { label: 'LessCss', names: ['less'], lexer: lexerFor(CSS) },
  { label: 'SCSS', names: ['scss', 'sass'], lexer: lexerFor(CSS) },
  { label: 'Diff', names: ['diff', 'patch', 'udiff'], lexer: diff },
  { label: 'Docker', names: ['docker', 'dockerfile'], lexer: lexerFor(DOCKER) },
  { label: 'GraphQL', names: ['graphql', 'gql'], lexer: lexerFor(GRAPHQL) },
  { label: 'HTML', names: ['html', 'htm', 'xhtml', 'vue', 'svelte'], lexer: markup },
  { label: 'HTTP', names: ['http'], lexer: http },
  { label: 'INI', names: ['ini', 'cfg', 'conf', 'dosini', 'properties'], lexer: properties },
  { label: 'JSON', names: ['json', 'jsonc', 'json5', 'jsonl'], lexer: lexerFor(JSON_SYNTAX) },
  { label: 'Makefile', names: ['makefile', 'make', 'mf'], lexer: lexerFor(MAKE) },
  { label: 'Nginx configuration file', names: ['nginx'], lexer: lexerFor(NGINX) },
  { label: 'Nix', names: ['nix'], lexer: lexerFor(NIX) },
  {
    label: 'SQL',
    names: ['sql', 'postgresql', 'postgres', 'mysql', 'sqlite', 'plpgsql'],
    lexer: lexerFor(SQL),
  },
  { label: 'TOML', names: ['toml'], lexer: properties },
  { label: 'TeX', names: ['tex', 'latex'], lexer: tex },
  { label: 'Terraform', names: ['terraform', 'tf', 'hcl'], lexer: lexerFor(TERRAFORM) },
  { label: 'Text only', names: ['text', 'txt', 'plain', 'plaintext', 'none', 'noop'] },
  { label: 'XML', names: ['xml', 'svg', 'xsd', 'rss', 'plist'], lexer: markup },
  { label: 'YAML', names: ['yaml', 'yml'], lexer: yaml },
]
