import { expect, test } from 'vitest'
import { renderMessage } from '../index.ts'
import { violations } from './allow-list.ts'
import { context } from './context.ts'
import { XSS_VECTORS } from './xss-vectors.ts'

test('the corpus is as large as it claims', () => {
  expect(XSS_VECTORS.length).toBeGreaterThanOrEqual(150)
})

test.each([
  ['alone', (vector: string) => vector],
  ['in a sentence', (vector: string) => `see ${vector} and **more**`],
  ['in a quote', (vector: string) => `> ${vector.replaceAll('\n', '\n> ')}`],
  ['in a list', (vector: string) => `- ${vector.replaceAll('\n', '\n  ')}`],
  ['in a spoiler', (vector: string) => `~~~spoiler ${vector.split('\n')[0]}\n${vector}\n~~~`],
  ['in a table', (vector: string) => `| a |\n|---|\n| ${vector.replaceAll('\n', ' ')} |`],
  ['as the label of a link', (vector: string) => `[${vector}](https://example.com)`],
  ['as the target of a link', (vector: string) => `[x](${vector})`],
])('no vector %s adds anything to the allow-list', (_place, wrap) => {
  for (const vector of XSS_VECTORS) {
    const message = wrap(vector)
    const { html } = renderMessage(message, context)
    expect(violations(html), `${JSON.stringify(message)} became ${html}`).toEqual([])
  }
})

test('only web addresses, paths and the other schemes of the list become links', () => {
  const links = XSS_VECTORS.flatMap((vector) => renderMessage(vector, context).links)
  for (const link of links) expect(link).toMatch(/^(?:https?:\/\/|mailto:|tel:|\/(?![/\\])|[#?])/)
})
