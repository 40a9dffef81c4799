import { pick } from './random.ts'

/** Pieces of every syntax, whole and broken, and of HTML. */
const PIECES: readonly string[] = [
  ...'* ** *** _ __ ~~ ~ ` `` ``` ```` ~~~ > >> # ## ### - + 1. 10. --- *** ___ === | || |- |-| :-: ! [ ] ( ) ]( [] () [[ ]] < > </ /> & ; : :: " \' \\ / // $ $$ @ @* @** @_** # #** ** . , = { } % ^'.split(
    ' ',
  ),
  ...'a b word Wort 漢字 naïve x1 http https example.com example.org/a?b=c&d=e#f www.example.com ftp://example.com mailto:a@example.com someone@example.com'.split(
    ' ',
  ),
  ...['\n', '\n', '\n\n', '  \n', '\t', '    ', '  ', ' ', ' ', ' ', '\r\n', '\u00a0', '\u2028'],
  '@**Ada Lovelace**',
  '@**Grace Hopper|9**',
  '@**|7**',
  '@_**Ada Lovelace**',
  '@**x<img src=x onerror=alert(1)>|10**',
  '@**|10**',
  '@**all**',
  '@**topic**',
  '@*ops*',
  '@_*role:administrators*',
  '#**announce**',
  '#**announce>lunch "x" <b>**',
  '#**announce>a@5**',
  '#**announce>**',
  '#**Q&A (new) "live" <b>**',
  ':+1:',
  ':parrot:',
  ':tada:',
  ':nothing:',
  '👍',
  '👩‍👩‍👧',
  '👍🏽',
  '🇩🇪',
  '1️⃣',
  ':)',
  '<3',
  '(:',
  '$$x^2$$',
  '$$\\frac{1}{2}$$',
  '$$\\text{<b>}$$',
  '$$\\href{javascript:alert(1)}{x}$$',
  '$$\\bad$$',
  '\n```math\nx\n```\n',
  '\n```python\nprint("<b>")\n```\n',
  '\n```quote\n',
  '\n```spoiler <b>\n',
  '\n~~~\n',
  '\n```\n',
  '\n``` html\n<script>\n',
  '<time:2026-01-31T10:00:00Z>',
  '<time:never>',
  '<time:"><b>>',
  '[text](https://example.com/)',
  '[text](/user_uploads/2/ab/cat.png)',
  '![alt](/user_uploads/2/ab/cat.png)',
  '![a"b onload="x](/user_uploads/2/ab/cat.png)',
  "!['><b>](/user_uploads/2/ab/song.mp3)",
  '["><b> onclick="x](/user_uploads/2/ab/dog.gif)',
  '[x](http:)',
  '[x](https:foo)',
  '![song](/user_uploads/2/ab/song.mp3)',
  '[film](/user_uploads/2/ab/film.mp4)',
  'https://chat.example.com/user_uploads/2/ab/dog.gif',
  '![x](https://example.com/x.png)',
  '[x](javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](data:text/html,x)',
  '[x](//example.com)',
  '[x](\\\\example.com)',
  '[x](/\\example.com)',
  '[x](#narrow)',
  '[](x)',
  '#12',
  'code@0123abc',
  'JS-javascript:alert(1)',
  'JS-"onclick=x',
  '| a | b |\n|---|:-:|\n| c | d |\n',
  '\n- ',
  '\n  - ',
  '\n> ',
  '\n1. ',
  '\n# ',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<svg/onload=alert(1)>',
  '</p>',
  '</textarea>',
  '&lt;script&gt;',
  '&#60;b&#62;',
  '&quot;',
  '&nbsp;',
  '&#0;',
  '\u0000',
  '\u0007',
  '\ud800',
  '\u202e',
  '\ufe0f',
  '\u200d',
]

/** A message of a few pieces, sometimes wrapped in one syntax. */
export function generateMessage(random: () => number): string {
  const count = 1 + Math.floor(random() ** 2 * 14)
  let message = ''
  for (let index = 0; index < count; index++) message += pick(random, PIECES)
  if (random() < 0.1) message = `${pick(random, ['> ', '- ', '# ', '**', '[', '~~', '`', '| '])}${message}`
  if (random() < 0.1)
    message += pick(random, ['**', ')', '](https://example.com)', '`', '$$', '**', '~~', ' |'])
  return message
}

/** Characters whose letters must all survive: marks, but nothing that has a target, a name or a language. */
const PRESERVED = 'abcdefgh   \n\n*_~`>#+!,;"()=^%'

/** A message of which every letter must be in the text that readers see. */
export function generateProse(random: () => number): string {
  const length = 1 + Math.floor(random() * 40)
  let message = ''
  for (let index = 0; index < length; index++) message += PRESERVED[Math.floor(random() * PRESERVED.length)]!
  return message.replace(/`{3,}|~{3,}/g, '`')
}
