import { describe, expect, test } from 'vitest'
import { renderMessage } from './index.ts'
import { bareContext, context } from './safety/context.ts'

const render = (content: string) => renderMessage(content, context)
const CAT = '/user_uploads/2/ab/cat.png'
const catImage =
  '<img data-original-content-type="image/png" data-original-dimensions="1920x1080" src="/user_uploads/thumbnail/2/ab/cat.png/840x560.webp">'
const preview = (href: string, title: string, image: string) =>
  `<div class="message_inline_image"><a href="${href}" title="${title}">${image}</a></div>`

describe('previews of linked files', () => {
  test('an image, after the block that links to it', () => {
    const rendered = render(`[my cat](${CAT})\n\nnext`)
    expect(rendered.html).toBe(
      `<p><a href="${CAT}">my cat</a></p>\n${preview(CAT, 'my cat', catImage)}\n<p>next</p>`,
    )
    expect(rendered).toMatchObject({
      has_link: true,
      has_image: true,
      has_attachment: true,
      links: [CAT],
      uploads: ['2/ab/cat.png'],
    })
  })

  test('the address alone gives way to the preview', () => {
    expect(render(`https://chat.example.com${CAT}`).html).toBe(preview(CAT, 'cat.png', catImage))
  })

  test('a thumbnail that is still being made', () => {
    const href = '/user_uploads/2/ab/new.png'
    expect(render(`[x](${href})`).html).toContain(
      '<img class="image-loading-placeholder" data-original-content-type="image/png" data-original-dimensions="5x6" src="/static/images/loading/loader-black.svg">',
    )
  })

  test.each([
    ['animated', 'dog.gif', 'data-animated="true"'],
    ['transcoded', 'photo.heic', 'data-transcoded-image="4x3.webp"'],
    ['without thumbnails', 'raw.png', '<img src="/user_uploads/2/ab/raw.png">'],
  ])('%s', (_name, file, expected) => {
    expect(render(`[x](/user_uploads/2/ab/${file})`).html).toContain(expected)
  })

  test.each(['film.mp4', 'film.mov'])('a video: %s (QuickTime since level 495)', (file) => {
    const href = `/user_uploads/2/ab/${file}`
    expect(render(`[x](${href})`).html).toBe(
      `<p><a href="${href}">x</a></p>\n<div class="message_inline_image message_inline_video">` +
        `<a href="${href}"><video preload="metadata" src="${href}"></video></a></div>`,
    )
  })

  test('in lists within the item, in quotes none, twice once', () => {
    expect(render(`* [x](${CAT})\n* y`).html).toContain(`x</a>${preview(CAT, 'x', catImage)}`)
    expect(render(`> [x](${CAT})`).html).not.toContain('<img')
    expect(render(`[x](${CAT}) [y](${CAT})`).html.match(/<img/g)).toHaveLength(1)
  })

  test('in a table after the table', () => {
    expect(render(`| a |\n|---|\n| [x](${CAT}) |`).html).toMatch(
      /<\/table>\n<div class="message_inline_image">/,
    )
  })

  test('at most 24', () => {
    const uploads = { info: () => ({ content_type: 'image/png' }) }
    const content = Array.from({ length: 30 }, (_, index) => `[x](/user_uploads/2/ab/${index}.png)`).join(' ')
    const rendered = renderMessage(content, { ...context, uploads })
    expect(rendered.html.match(/<img/g)).toHaveLength(24)
    expect(rendered.uploads).toHaveLength(30)
  })

  test.each([
    ['unknown files', '[x](/user_uploads/2/ab/nothing.png)', context],
    ['other kinds of files', '[x](/user_uploads/2/ab/page.html)', context],
    ['SVG, which can contain scripts', '[x](/user_uploads/2/ab/draw.svg)', context],
    ['images elsewhere', '[x](https://example.com/x.png)', context],
    ['organizations that want none', `[x](${CAT})`, { ...context, inlineImagePreview: false }],
    ['callers that know no files', `[x](${CAT})`, bareContext],
  ])('none for %s', (_name, content, settings) => {
    const rendered = renderMessage(content, settings)
    expect(rendered.html).not.toMatch(/<img|<video/)
    expect(rendered.has_image).toBe(false)
  })
})

describe('the image syntax (level 467: uploaded files only)', () => {
  test('an image within the text', () => {
    const rendered = render(`see ![my "cat"](${CAT}) here`)
    expect(rendered.html).toBe(
      `<p>see <img alt="my &quot;cat&quot;" class="inline-image" data-original-src="${CAT}" data-original-content-type="image/png" ` +
        'data-original-dimensions="1920x1080" src="/user_uploads/thumbnail/2/ab/cat.png/840x560.webp"> here</p>',
    )
    expect(rendered).toMatchObject({ has_image: true, has_link: false, uploads: ['2/ab/cat.png'] })
  })

  test('in a quote, where links have no preview', () => {
    expect(render(`> ![x](${CAT})`).html).toContain('class="inline-image"')
  })

  test('a placeholder keeps its classes', () => {
    expect(render('![x](/user_uploads/2/ab/new.png)').html).toContain(
      'class="inline-image image-loading-placeholder"',
    )
  })

  test('an audio player', () => {
    expect(render('![a song](/user_uploads/2/ab/song.mp3)').html).toBe(
      '<p><audio controls="" preload="metadata" src="/user_uploads/2/ab/song.mp3" title="a song"></audio></p>',
    )
  })

  test.each([
    ['![x](https://example.com/x.png)', '<p>!<a href="https://example.com/x.png">x</a></p>'],
    ['![x](/user_uploads/2/ab/page.html)', '<p>!<a href="/user_uploads/2/ab/page.html">x</a></p>'],
    ['![x](javascript:alert)', '<p>![x](javascript:alert)</p>'],
  ])('%s is no image', (content, expected) => {
    expect(render(content).html).toBe(expected)
  })
})
