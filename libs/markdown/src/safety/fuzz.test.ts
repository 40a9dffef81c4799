import { expect, test } from 'vitest'
import { renderMessage } from '../index.ts'
import { renderParsed } from '../render.ts'
import { textContent, violations } from './allow-list.ts'
import { bareContext, context } from './context.ts'
import { generateMessage, generateProse } from './generate-message.ts'
import { pick, seeded } from './random.ts'

/** The seed of this run; PARLEY_FUZZ_SEED repeats another one. */
const SEED = Number(process.env.PARLEY_FUZZ_SEED ?? 20261121)

test('100,000 generated messages stay within the allow-list and are read as the tree that was written', {
  timeout: 600_000,
}, () => {
  const random = seeded(SEED)
  for (let count = 0; count < 100_000; count++) {
    const message = generateMessage(random)
    const { html } = renderMessage(message, random() < 0.8 ? context : bareContext)
    const found = violations(html)
    if (found.length > 0) expect.fail(`${JSON.stringify(message)} became ${html}\n${found.join('\n')}`)
  }
})

test('10,000 messages of letters and marks lose no letter', { timeout: 600_000 }, () => {
  const random = seeded(SEED + 1)
  const letters = (text: string) => text.replace(/[^a-h]/g, '')
  for (let count = 0; count < 10_000; count++) {
    const message = generateProse(random)
    const { html } = renderMessage(message, bareContext)
    if (letters(textContent(html)) !== letters(message)) {
      expect.fail(`${JSON.stringify(message)} became ${JSON.stringify(html)}`)
    }
  }
})

test('the short way for plain lines gives what the parser gives', { timeout: 600_000 }, () => {
  const random = seeded(SEED + 2)
  const parts = [
    ...'ab1. -+_=%/:;,!?()\'"é漢',
    ' ',
    ' ',
    'word',
    '1.',
    '2.5',
    '...',
    '. ',
    ': ',
    '/me ',
    'e.g.',
    '…',
  ]
  let plain = 0
  for (let count = 0; count < 30_000; count++) {
    let message = ''
    const length = 1 + Math.floor(random() * 8)
    for (let index = 0; index < length; index++) message += pick(random, parts)
    const settings = random() < 0.5 ? context : bareContext
    const quick = renderMessage(message, settings)
    const parsed = renderParsed(message, settings)
    if (quick.html !== parsed.html || quick.is_me_message !== parsed.is_me_message) {
      expect.fail(`${JSON.stringify(message)}: ${quick.html} but ${parsed.html}`)
    }
    if (quick.html === `<p>${message}</p>`) plain++
  }
  expect(plain).toBeGreaterThan(5000)
})

test('rendering the same message again gives the same HTML', () => {
  const random = seeded(SEED + 3)
  for (let count = 0; count < 2000; count++) {
    const message = generateMessage(random)
    expect(renderMessage(message, context).html).toBe(renderMessage(message, context).html)
  }
})
