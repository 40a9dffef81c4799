import { expect, it } from 'vitest'
import { renderText } from '../messages/render-text.ts'
import type { Realm } from './realm-store.ts'

it("a text of an organization is linked as the organization's patterns say, the first that fits first", async () => {
  const linkifiers = [
    { pattern: 'bug#(?P<id>[0-9]+)', url_template: 'https://bugs.example/{id}' },
    { pattern: '#(?P<n>[0-9]+)', url_template: 'https://issues.example/{n}' },
  ]
  const realm = { id: 7, settings: {}, linkifiers } as unknown as Realm
  const deps = { realms: { get: async () => realm } } as never
  const { rendered } = await renderText(
    deps,
    { id: 7, subdomain: '', url: 'https://chat.example' },
    'bug#1 and #2',
  )
  expect(rendered.html).toBe(
    '<p><a href="https://bugs.example/1">bug#1</a> and <a href="https://issues.example/2">#2</a></p>',
  )
})
