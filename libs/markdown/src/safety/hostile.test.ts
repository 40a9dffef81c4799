import { describe, expect, test } from 'vitest'
import { collectLookups, renderMessage } from '../index.ts'
import { violations } from './allow-list.ts'
import { context } from './context.ts'
import { cpuTime } from './cpu-time.ts'
import { HOSTILE_MESSAGES, MATH_BOMBS } from './hostile-messages.ts'

/** What a message may cost at most, in ms; some twenty times what the worst costs on two cores. */
const LIMIT = 1000

/** All that a service does with a message. */
function cost(message: string, runs: number): number {
  return cpuTime(runs, () => {
    const rendered = renderMessage(message, context)
    rendered.plainText()
    rendered.alertWordsIn(['word', 'a', 'b c'])
    collectLookups(message)
  })
}

describe('10,000 hostile characters', () => {
  test.each(HOSTILE_MESSAGES)('$name: bounded, not quadratic, within the allow-list', ({ ofLength }) => {
    const half = cost(ofLength(5000), 3)
    const whole = cost(ofLength(10_000), 3)
    expect(whole).toBeLessThan(LIMIT)
    // Twice as much text costs about twice as much; four times would be quadratic. Below 30 ms noise decides.
    expect(whole).toBeLessThan(3 * half + 30)
    expect(violations(renderMessage(ofLength(2000), context).html)).toEqual([])
  })

  test('formulas that multiply themselves are bounded in time and size', () => {
    for (const message of MATH_BOMBS) {
      expect(cost(message, 1), message.slice(0, 80)).toBeLessThan(LIMIT)
      const { html } = renderMessage(message, context)
      expect(html.length, message.slice(0, 80)).toBeLessThan(600_000)
      expect(violations(html), message.slice(0, 80)).toEqual([])
    }
  })

  test('what is beyond a limit is shown as it was typed', () => {
    const deep = `${'> '.repeat(60)}end`
    expect(renderMessage(deep, context).plainText()).toContain('> > > end')
    const wide = `|${'a|'.repeat(300)}\n|${'-|'.repeat(300)}`
    expect(renderMessage(wide, context).plainText().startsWith('|a|a|')).toBe(true)
    const long = `|a|b|c|d\n|-|-|-|-\n${'|w|x|y|z\n'.repeat(1500)}`
    expect(renderMessage(long, context).plainText().match(/w/g)).toHaveLength(1500)
    const formula = `$$${'x+'.repeat(1500)}x$$`
    expect(renderMessage(formula, context).html).toBe(`<p><span class="tex-error">${formula}</span></p>`)
  })
})
