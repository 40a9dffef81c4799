import { expect, it } from 'vitest'
import { textCache } from './text-cache.ts'

it('holds no more than it may, and what is asked for longest', () => {
  const texts = textCache(1)
  const text = 'x'.repeat(1000)
  for (let n = 0; n < 10_000; n += 1) {
    texts.set(`${n}`, text)
    expect(texts.get('0')).toBe(text)
  }
  const held = Array.from({ length: 10_000 }, (_, n) => texts.get(`${n}`)).filter((one) => one !== undefined)
  expect(held.length * 2 * text.length).toBeLessThan(1024 * 1024)
  expect(held.length * 2 * text.length).toBeGreaterThan(900_000)
  expect([texts.get('9999'), texts.get('1')]).toEqual([text, undefined])
})

it('leaves out what alone is too large', () => {
  const texts = textCache(1)
  texts.set('small', 'x')
  texts.set('large', 'x'.repeat(600_000))
  expect([texts.get('small'), texts.get('large')]).toEqual(['x', undefined])
})
