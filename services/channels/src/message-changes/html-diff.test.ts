import { expect, it } from 'vitest'
import { diffBudget, htmlDiff } from './html-diff.ts'

const diff = (before: string, after: string) => htmlDiff(before, after, diffBudget())
const inserted = (text: string) => `<span class="highlight_text_inserted">${text}</span>`
const deleted = (text: string) => `<span class="highlight_text_deleted">${text}</span>`

it('marks what came and what went, word by word', () => {
  expect(diff('<p>one two three</p>', '<p>one 2 three four</p>')).toBe(
    `<p>one ${deleted('two')}${inserted('2')} three${inserted(' four')}</p>`,
  )
  expect(diff('<p>same</p>', '<p>same</p>')).toBe('<p>same</p>')
  expect(diff('<p>plain</p>', '<p><strong>plain</strong> &amp; new</p>')).toBe(
    `<p><strong>plain</strong>${inserted(' &amp; new')}</p>`,
  )
  expect(diff('<p>a &lt; b</p>', '<p>(deleted)</p>')).toBe(
    `<p>${deleted('a &lt; b')}${inserted('(deleted)')}</p>`,
  )
})

it('has the tags of the new text, whatever the old one was, and its text without what went', () => {
  const parts = ['<p>', '</p>', 'a', 'b', ' ', '&amp;', '<a href="/x">', '</a>', '<br>', 'word', '.']
  let state = 7
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const text = () => Array.from({ length: random(12) }, () => parts[random(parts.length)]).join('')
  for (let count = 0; count < 2000; count += 1) {
    const [before, after] = [text(), text()]
    for (const budget of [diffBudget(), { pairs: 0 }]) {
      const html = htmlDiff(before, after, budget)
      const without = html
        .replaceAll(/<span class="highlight_text_deleted">[^<]*<\/span>/g, '')
        .replaceAll(/<span class="highlight_text_inserted">([^<]*)<\/span>/g, '$1')
      expect(without, `${before} -> ${after}`).toBe(after)
    }
  }
})

it('stays within its budget', () => {
  const budget = diffBudget()
  const long = (word: string) => `<p>${`${word} `.repeat(3000)}</p>`
  const begun = performance.now()
  for (let count = 0; count < 50; count += 1) htmlDiff(long(`a${count}`), long(`b${count}`), budget)
  expect(performance.now() - begun).toBeLessThan(5000)
  expect(budget.pairs).toBeGreaterThanOrEqual(0)
})
