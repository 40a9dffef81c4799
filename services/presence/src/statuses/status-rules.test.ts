import { describe, expect, it } from 'vitest'
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

describe('a status as shown', () => {
  it('leaves out what is not set', () => {
    const nothing = { away: false, status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' }
    expect(shownStatus(undefined)).toEqual({})
    expect(shownStatus(nothing)).toEqual({})
    expect(shownStatus({ ...nothing, away: true })).toEqual({ away: true })
  })
})
