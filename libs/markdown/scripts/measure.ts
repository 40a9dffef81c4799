/**
 * Measures what rendering costs: CPU time per message of everyday kinds in microseconds, and the most expensive
 * hostile messages of 10,000 characters in milliseconds.
 *
 * Run: node libs/markdown/scripts/measure.ts
 */
import { collectLookups, renderMessage } from '../src/index.ts'
import { context } from '../src/safety/context.ts'
import { cpuTime } from '../src/safety/cpu-time.ts'
import { HOSTILE_MESSAGES, MATH_BOMBS } from '../src/safety/hostile-messages.ts'

const settings = { ...context, translateEmoticons: false }
const EVERYDAY: Readonly<Record<string, string>> = {
  'one plain line': "Sounds good, I don't think we need version 1.5 of it before lunch tomorrow.",
  'marks in a line': 'this is **important** and `code` and *that*',
  mention: 'hi @**Ada Lovelace**, see #**announce>lunch**',
  emoji: 'great :tada: thanks 👍',
  link: 'look at https://example.com/a/b?c=d please',
  'two paragraphs':
    'A longer message with several sentences.\n\nThe second has *marks* and a [link](https://example.com).',
  list: 'todo:\n* one\n* two\n* three',
  'five lines of Python':
    '```python\ndef f(x):\n    # comment\n    y = x + 1\n    print("a", y)\n    return y\n```',
  formula: '$$x^2 + y^2$$',
}

const ROUNDS = 5000
for (const [name, message] of Object.entries(EVERYDAY)) {
  const rounds = name === 'formula' ? ROUNDS / 10 : ROUNDS
  const repeat = (work: () => unknown) => () => {
    for (let round = 0; round < rounds; round++) work()
  }
  const render =
    (cpuTime(
      5,
      repeat(() => renderMessage(message, settings)),
    ) /
      rounds) *
    1000
  const lookups =
    (cpuTime(
      5,
      repeat(() => collectLookups(message)),
    ) /
      rounds) *
    1000
  console.log(
    `${name.padEnd(24)} render ${render.toFixed(1).padStart(6)} us   lookups ${lookups.toFixed(2)} us`,
  )
}

const hostile = [
  ...HOSTILE_MESSAGES.map(({ name, ofLength }) => ({ name, message: ofLength(10_000) })),
  ...MATH_BOMBS.map((message) => ({ name: message.slice(0, 60), message })),
].map(({ name, message }) => ({ name, time: cpuTime(3, () => renderMessage(message, context)) }))
console.log('\nthe most expensive hostile messages:')
for (const { name, time } of hostile.sort((a, b) => b.time - a.time).slice(0, 5)) {
  console.log(`${time.toFixed(0).padStart(5)} ms  ${JSON.stringify(name).slice(0, 70)}`)
}
