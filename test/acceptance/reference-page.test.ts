import { contracts } from '@parley/contracts'
import { stackFromEnvironment } from '@parley/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../running/browser.ts'

const { origin } = stackFromEnvironment()
let browser: Browser
let page: Page
const complaints: string[] = []
const fetched: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => fetched.push(request.url()))
  const answer = await page.goto(`${origin}/api/`)
  expect(answer?.status()).toBe(200)
})
afterAll(() => browser.close())

const operations = Object.values(contracts).flatMap(({ endpoints }) => Object.keys(endpoints))

describe('the reference page in a browser', () => {
  it('shows every endpoint, each reached from the list beside it', async () => {
    expect(await page.title()).toBe('Parley API reference')
    const shown = await page.locator('main section.endpoint').evaluateAll((all) => all.map(({ id }) => id))
    expect(shown.toSorted()).toEqual(operations.toSorted())
    await page.locator('nav a[href="#sendMessage"]').click()
    await expect.poll(() => page.locator('#sendMessage').isVisible()).toBe(true)
    expect(await page.locator('#sendMessage').textContent()).toContain('STREAM_DOES_NOT_EXIST')
  })

  it('finds endpoints by words', async () => {
    await page.getByLabel('Find').fill('POST messages')
    await expect.poll(() => page.locator('#count').textContent()).toMatch(/^\d+ of \d+$/)
    expect(await page.locator('#sendMessage').isVisible()).toBe(true)
    expect(await page.locator('#getServerSettings').isVisible()).toBe(false)
    await page.getByLabel('Find').fill('')
    await expect.poll(() => page.locator('#getServerSettings').isVisible()).toBe(true)
  })

  it('is styled and scripted by the gateway alone, without a complaint', async () => {
    expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('grid')
    expect(fetched.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
    expect(fetched.map((url) => new URL(url).pathname)).toEqual(
      expect.arrayContaining(['/api/', '/api/reference.css', '/api/reference.js']),
    )
    expect(complaints).toEqual([])
  })

  it('fits a narrow window', async () => {
    await page.setViewportSize({ width: 360, height: 700 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
