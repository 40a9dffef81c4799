import { randomBytes } from 'node:crypto'
import { Client, eventually, stackFromEnvironment, succeeded } from '@parley/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../running/browser.ts'

const stack = stackFromEnvironment()
const password = 'umbrella giraffe tangent 9'
const subdomain = `browser-${randomBytes(4).toString('hex')}`
const host = `${subdomain}.${stack.host}`
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  // The pages run nothing, and have to fit a telephone.
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 360, height: 700 },
  })
  page = await context.newPage()
  page.on('console', (message) => {
    const { url } = message.location()
    // The page that says what is wrong with a password is answered with 400. Browsers ask for an icon by themselves.
    const isRefusal = message.text().includes('the server responded with a status of 400')
    if (!isRefusal && !url.endsWith('/favicon.ico')) complaints.push(`${message.text()} ${url}`)
  })
})
afterAll(() => browser.close())

/** Follows the link in the newest mail to an address, as developers do. */
const followMail = async (place: string, address: string): Promise<void> => {
  const link = page.locator('article', { hasText: address }).first().getByRole('link')
  await eventually(async () => {
    await page.goto(`http://${place}/emails`)
    expect(await link.count()).toBeGreaterThan(0)
  })
  await link.first().click()
}
const fillIn = async (fields: Record<string, string>): Promise<void> => {
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value)
}
const heading = () => page.getByRole('heading', { level: 1 }).textContent()

it('somebody makes an organization, invites, and somebody joins: by pages without scripts, on a small screen', async () => {
  await page.goto(`http://${stack.host}/new/`)
  const founder = `ada@${subdomain}.example`
  await fillIn({
    'Name of the organization': 'Brook & sons',
    Address: subdomain,
    'Your e-mail address': founder,
  })
  const box = await page.getByRole('button').boundingBox()
  expect(box!.x + box!.width).toBeLessThanOrEqual(360)
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await heading()).toBe('Look into your mail')
  await followMail(stack.host, founder)
  expect(await heading()).toBe('Create Brook & sons')
  await fillIn({ 'Your name': 'Ada', Password: 'password1' })
  await page.getByRole('button', { name: 'Create' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('too easy to guess')
  await fillIn({ Password: password })
  await page.getByRole('button', { name: 'Create' }).click()
  expect(await heading()).toBe('Welcome')

  const stranger = new Client(stack.origin, host)
  const { api_key } = await succeeded(stranger.post('/fetch_api_key', { username: founder, password }))
  const owner = new Client(stack.origin, host, { email: founder, key: api_key })
  const { invite_link } = await succeeded(owner.post('/invites/multiuse'))
  const newcomer = `grace@${subdomain}.example`
  await page.goto(invite_link)
  expect(await heading()).toBe('Join Brook & sons')
  await fillIn({ 'E-mail address': newcomer })
  await page.getByRole('button', { name: 'Continue' }).click()
  await followMail(host, newcomer)
  await fillIn({ 'Your name': 'Grace', Password: password })
  await page.getByRole('button', { name: 'Join' }).click()
  expect(await heading()).toBe('Welcome')
  const own = await page.goto(`http://${host}/json/users/me`)
  expect(await own!.json()).toMatchObject({ full_name: 'Grace', role: 400 })
  expect(complaints).toEqual([])
})
