import { describe, expect, test } from 'vitest'
import { renderMessage } from './index.ts'
import { channelUrl, encodeFragment, topicUrl } from './narrow-urls.ts'
import { context } from './safety/context.ts'

const render = (content: string) => renderMessage(content, context)
const NO_MENTIONS = { users: [], groups: [], wildcard: null, wildcards: [], forbiddenGroups: [] }

describe('mentions of users', () => {
  const ada = '<span class="user-mention" data-user-id="7">@Ada Lovelace</span>'
  test.each([
    ['@**Ada Lovelace**', ada],
    ['@**ada lovelace**', ada],
    ['@**Ada Lovelace|7**', ada],
    ['@**|7**', ada],
    ['(@**Ada Lovelace**)', `(${ada})`],
    ['"@**Ada Lovelace**"', `"${ada}"`],
  ])('%s', (content, expected) => {
    expect(render(content).html).toBe(`<p>${expected}</p>`)
    expect(render(content).mentions).toEqual({ ...NO_MENTIONS, users: [7] })
  })

  test('of two users with one name the id decides, without it the first that the caller gives', () => {
    expect(render('@**Grace Hopper|9**').mentions.users).toEqual([9])
    expect(render('@**Grace Hopper**').mentions.users).toEqual([8])
  })

  test('a silent mention notifies nobody', () => {
    const { html, mentions } = render('@_**Ada Lovelace**')
    expect(html).toBe('<p><span class="user-mention silent" data-user-id="7">Ada Lovelace</span></p>')
    expect(mentions).toEqual(NO_MENTIONS)
  })

  test.each(['> @**Ada Lovelace**', '```quote\n@**Ada Lovelace** @**all** @*ops*\n```'])(
    'quoted: %j',
    (content) => {
      expect(render(content).html).toContain(
        '<span class="user-mention silent" data-user-id="7">Ada Lovelace</span>',
      )
      expect(render(content).mentions).toEqual(NO_MENTIONS)
    },
  )

  test('after a quote mentions count again', () => {
    expect(render('> @**Ada Lovelace**\n\n@**Grace Hopper|8**').mentions.users).toEqual([8])
  })

  test('in a spoiler they count', () => {
    expect(render('```spoiler @**Ada Lovelace**\n@**Grace Hopper|8**\n```').mentions.users).toEqual([7, 8])
  })

  test.each([
    '@**Nobody**',
    '@**Ada Lovelace|8**',
    'mail@**Ada Lovelace**',
    '@** **',
    '@**Ada\nLovelace**',
    '`@**Ada Lovelace**`',
  ])('%j mentions nobody', (content) => {
    expect(render(content).html).not.toContain('user-mention')
    expect(render(content).mentions).toEqual(NO_MENTIONS)
  })

  test('a hostile name is text', () => {
    expect(render('@**|10**').html).toContain('>@x&lt;img src=x onerror=alert(1)&gt;<')
  })
})

describe('wildcards', () => {
  test.each(['all', 'everyone', 'channel', 'stream'])('@**%s** is everybody in the channel', (name) => {
    const { html, mentions } = render(`@**${name}**`)
    expect(html).toBe(
      `<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@${name}</span></p>`,
    )
    expect(mentions).toEqual({ ...NO_MENTIONS, wildcard: 'channel', wildcards: ['channel'] })
  })

  test('@**topic** is everybody in the topic', () => {
    const { html, mentions } = render('@**topic**')
    expect(html).toBe('<p><span class="topic-mention">@topic</span></p>')
    expect(mentions).toEqual({ ...NO_MENTIONS, wildcard: 'topic', wildcards: ['topic'] })
  })

  test('both are told', () => {
    const { wildcard, wildcards } = render('@**topic** @**all**').mentions
    expect({ wildcard, wildcards }).toEqual({ wildcard: 'channel', wildcards: ['channel', 'topic'] })
  })

  test('silently they are nobody', () => {
    expect(render('@_**all**').mentions).toEqual(NO_MENTIONS)
  })
})

describe('groups', () => {
  test('aloud and silently', () => {
    const { html, mentions } = render('@*ops* @_*ops*')
    expect(html).toBe(
      '<p><span class="user-group-mention" data-user-group-id="3">@ops</span> ' +
        '<span class="user-group-mention silent" data-user-group-id="3">ops</span></p>',
    )
    expect(mentions).toEqual({ ...NO_MENTIONS, groups: [3] })
  })

  test('one that the sender may not mention is silent and told to the caller', () => {
    const { html, mentions } = render('@*board* @_*board*')
    expect(html).not.toContain('>@board<')
    expect(mentions).toEqual({ ...NO_MENTIONS, forbiddenGroups: [4] })
  })

  test('system groups have names for people', () => {
    expect(render('@_*role:administrators*').html).toContain('>Administrators<')
  })

  test('an unknown one is text', () => {
    expect(render('@*nobody*').html).toBe('<p>@<em>nobody</em></p>')
  })
})

describe('links to channels, topics and messages', () => {
  test.each([
    [
      '#**announce**',
      '<a class="stream" data-stream-id="9" href="/#narrow/channel/9-announce">#announce</a>',
    ],
    [
      '#**announce>Big news**',
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-announce/topic/Big.20news/with/214">#announce &gt; Big news</a>',
    ],
    [
      '#**announce>empty**',
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-announce/topic/empty">#announce &gt; empty</a>',
    ],
    [
      '#**announce>Big news@5**',
      '<a class="message-link" href="/#narrow/channel/9-announce/topic/Big.20news/near/5">#announce &gt; Big news @ 💬</a>',
    ],
    [
      '#**announce>**',
      '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-announce/topic/with/214">#announce &gt; <em>general chat</em></a>',
    ],
    [
      '#**announce>@5**',
      '<a class="message-link" href="/#narrow/channel/9-announce/topic//near/5">#announce &gt; <em>general chat</em> @ 💬</a>',
    ],
    [
      '#**Q&A (new) "live" <b>**',
      '<a class="stream" data-stream-id="12" href="/#narrow/channel/12-Q.26A-.28new.29-.22live.22-.3Cb">#Q&amp;A (new) "live" &lt;b</a>',
    ],
  ])('%s', (content, expected) => {
    const known = { ...context, channels: { byName: (name: string) => channelNamed(name) } }
    expect(renderMessage(content.replace('<b>**', '<b**'), known).html).toBe(`<p>${expected}</p>`)
  })

  function channelNamed(name: string) {
    return name === 'Q&A (new) "live" <b' ? { id: 12, name } : context.channels.byName(name)
  }

  test('an unknown channel is text, and a link does not count as a link of the message', () => {
    expect(render('#**nowhere**').html).toBe('<p>#<strong>nowhere</strong></p>')
    expect(render('#**announce**').has_link).toBe(false)
  })

  test('names in fragments', () => {
    expect(encodeFragment("a.b c/d%é*'()!~")).toBe('a.2Eb.20c.2Fd.25.C3.A9.2A.27.28.29.21~')
    expect(encodeFragment('\ud800')).toBe('.EF.BF.BD')
    expect(channelUrl({ id: 1, name: 'a b' })).toBe('/#narrow/channel/1-a-b')
    expect(topicUrl({ id: 1, name: 'a' }, 'b', { near: 3 })).toBe('/#narrow/channel/1-a/topic/b/near/3')
  })
})
