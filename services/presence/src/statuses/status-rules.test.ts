import { describe, expect, it } from 'vitest'
import { emojiDirectory } from '../emoji/emoji-directory.ts'
import { customEmojiMeant } from './custom-emoji.ts'
import { shownStatus, statusChange } from './status-rules.ts'

describe('a change of status', () => {
  it('names only what is to change', () => {
    expect(statusChange({ status_text: ' a ' })).toEqual({ status_text: 'a' })
    expect(statusChange({ away: false })).toEqual({ away: false })
  })

  it('finds the code of an emoji by its name, by any of its names', () => {
    const thumb = { emoji_code: '1f44d', reaction_type: 'unicode_emoji' }
    expect(statusChange({ emoji_name: '+1' })).toEqual({ emoji_name: '+1', ...thumb })
    expect(statusChange({ emoji_name: 'thumbs_up', emoji_code: '1f44d' })).toMatchObject(thumb)
    expect(statusChange({ emoji_name: 'zulip' })).toMatchObject({ reaction_type: 'zulip_extra_emoji' })
  })

  it('clears all of an emoji at once', () => {
    expect(statusChange({ emoji_name: '', emoji_code: '1f44d' })).toEqual({
      emoji_name: '',
      emoji_code: '',
      reaction_type: '',
    })
  })

  it('counts characters, not bytes, and repairs halves of them', () => {
    expect(statusChange({ status_text: '👍'.repeat(60) }).status_text).toHaveLength(120)
    expect(() => statusChange({ status_text: '👍'.repeat(61) })).toThrow('limit: 60')
    expect(statusChange({ status_text: 'a\ud800' }).status_text).toBe('a\ufffd')
  })

  it('is refused for the extra emoji under another code', () => {
    const extra = { emoji_name: 'zulip', reaction_type: 'zulip_extra_emoji' }
    expect(() => statusChange({ ...extra, emoji_code: 'other' })).toThrow('Invalid emoji code.')
    expect(() => statusChange({ ...extra, emoji_name: 'other', emoji_code: 'zulip' })).toThrow(
      'Invalid emoji name.',
    )
  })
})

describe("an organization's own emoji", () => {
  const party = { id: '7', name: 'party', deactivated: false }
  const shown = { emoji_name: 'party', emoji_code: '7', reaction_type: 'realm_emoji' }

  it('is found by its name, before a common one of that name', () => {
    expect(statusChange({ emoji_name: 'party' }, { byName: party })).toEqual(shown)
    const own = { id: '8', name: 'tada', deactivated: false }
    expect(statusChange({ emoji_name: 'tada' }, { byName: own })).toMatchObject({ emoji_code: '8' })
    const common = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
    expect(statusChange(common, {})).toEqual(common)
  })

  it('is found by its code, under its name, while it is active', () => {
    expect(statusChange(shown, { byCode: party })).toEqual(shown)
    for (const [custom, finding] of [
      [{}, 'Invalid custom emoji.'],
      [{ byCode: { ...party, name: 'feast' } }, 'Invalid custom emoji name.'],
      [{ byCode: { ...party, deactivated: true } }, 'This custom emoji has been deactivated.'],
    ] as const) {
      expect(() => statusChange(shown, custom)).toThrow(finding)
    }
    expect(() => statusChange({ emoji_name: 'party', emoji_code: '9' }, { byName: party })).toThrow(
      'Invalid custom emoji.',
    )
  })

  it('is asked for once when it is new, and never of another organization', async () => {
    const asked: number[] = []
    const emoji = emojiDirectory((async (_question: unknown, { realm_id }: { realm_id: number }) => {
      asked.push(realm_id)
      return { emoji: realm_id === 1 ? [{ ...fact, realm_id }] : [] }
    }) as never)
    const fact = {
      id: '7',
      name: 'party',
      deactivated: false,
      source_url: '/x',
      still_url: null,
      author_id: 3,
    }
    const meant = (realmId: number, sent: object) => customEmojiMeant(emoji, realmId, sent)
    expect(await meant(1, { emoji_name: 'tada' })).toEqual({})
    expect(asked).toEqual([])
    expect(await meant(1, { emoji_name: 'party' })).toEqual({ byName: party })
    expect(await meant(1, shown)).toEqual({ byCode: party })
    expect(asked).toEqual([1])
    expect(await meant(2, { emoji_name: 'party' })).toEqual({})
    expect(await meant(2, shown)).toEqual({})
    emoji.learn({ ...fact, realm_id: 1, deactivated: true })
    emoji.learn({ ...fact, realm_id: 1 })
    expect(await meant(1, shown)).toEqual({ byCode: { ...party, deactivated: true } })
    expect(await meant(1, { emoji_name: 'party' })).toEqual({})
  })
})

describe('a status as shown', () => {
  it('leaves out what is not set', () => {
    const nothing = { away: false, status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' }
    expect(shownStatus(undefined)).toEqual({})
    expect(shownStatus(nothing)).toEqual({})
    expect(shownStatus({ ...nothing, away: true })).toEqual({ away: true })
  })
})
