import { listRealms, reactivateRealm } from '@parley/contracts/identity/realm-life-questions'
import { EventReader, eventually, succeeded, World } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

const password = 'umbrella giraffe tangent 9'

describe('an organization', () => {
  it('is deactivated by its owners only, within bounds, with everything that opens it; and comes back', async () => {
    const world = await World.create()
    const owner = await world.user({ role: 'owner', password })
    const admin = await world.user({ role: 'administrator' })
    const member = await world.user({ password })
    const { state } = await EventReader.register(owner, {
      event_types: ['realm'],
    })
    const least = state.server_min_deactivated_realm_deletion_days
    expect([least, state.server_max_deactivated_realm_deletion_days]).toEqual([14, null])
    for (const client of [admin, member]) {
      const { status, body } = await client.post('/realm/deactivate')
      expect([status, body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL'])
    }
    for (const deletion_delay_days of [0, 13, -1, 'soon']) {
      const { status, body } = await owner.post('/realm/deactivate', { deletion_delay_days })
      expect([deletion_delay_days, status, body.code]).toEqual([deletion_delay_days, 400, 'BAD_REQUEST'])
    }
    const reader = await EventReader.register(member, { event_types: ['realm'] })
    const waiting = reader.poll()
    await succeeded(owner.post('/realm/deactivate', { deletion_delay_days: 30 }))
    const ended = Date.now()
    // Who waits hears of it before the queue ends.
    await waiting
    const told = reader.received.filter(({ type }) => type === 'realm')
    expect(told).toEqual([expect.objectContaining({ op: 'deactivated', realm_id: world.realmId })])
    await eventually(async () => {
      for (const client of [owner, member]) {
        const { status, body } = await client.get('/users/me')
        expect([status, body.code]).toEqual([401, 'REALM_DEACTIVATED'])
      }
    }, 5)
    expect(Date.now() - ended).toBeLessThan(5000)
    const logIn = () => world.stranger().post('/fetch_api_key', { username: member.email, password })
    expect((await logIn()).body.code).toBe('REALM_DEACTIVATED')
    const poll = await member.get('/events', {
      queue_id: reader.queueId,
      last_event_id: -1,
      dont_block: true,
    })
    expect(poll.body.code).toBe('REALM_DEACTIVATED')

    const { realms } = await world.ask(listRealms, {})
    const listed = realms.find(({ realm_id }) => realm_id === world.realmId)!
    const days = (Date.parse(listed.deletion_due_at!) - Date.parse(listed.deactivated_at!)) / 86_400_000
    expect([listed.is_active, Math.round(days)]).toEqual([false, 30])
    await world.ask(reactivateRealm, { realm: world.subdomain })
    await eventually(async () => {
      await succeeded(owner.get('/users/me'))
      await succeeded(logIn())
    }, 5)
    await expect(world.ask(reactivateRealm, { realm: world.subdomain })).rejects.toThrow()
  })
})
