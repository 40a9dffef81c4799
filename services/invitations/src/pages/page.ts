import { StreamedReply } from '@parley/kit'
import { escapeHtml } from '../mail/html.ts'

/** Text that is HTML already, as opposed to what people wrote. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** HTML from a template; what is put in is escaped, unless it is `Html` itself. Lists are joined. */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html =>
  new Html(
    parts.reduce((text, part, index) => {
      const value = values[index - 1]!
      const shown =
        value instanceof Html
          ? value.text
          : typeof value === 'object'
            ? value.map((one) => one.text).join('')
            : escapeHtml(String(value))
      return text + shown + part
    }),
  )

const style = `body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;margin:0 auto;max-width:32rem;padding:2rem 1rem}
label{display:block;font-weight:600;margin-top:1rem}
input{font:inherit;box-sizing:border-box;width:100%;padding:.5rem;border:1px solid #666;border-radius:4px}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid #1f4fbf;outline-offset:2px}
button{font:inherit;margin-top:1.5rem;padding:.6rem 1.2rem;background:#1f4fbf;color:#fff;border:0;border-radius:4px}
.hint{color:#555;font-size:.9rem;margin:.25rem 0 0}.problem{border-left:4px solid #b00020;padding:.25rem 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere}article{border-top:1px solid #ccc;padding:1rem 0}`

/** A page of our own: plain HTML that runs nothing and loads nothing, for any browser. */
export const page = (title: string, content: Html, status = 200): StreamedReply =>
  new StreamedReply(
    status,
    {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    },
    Buffer.from(
      html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text,
    ),
  )

/** What is wrong, said where screen readers notice it. */
export const problem = (text: string | undefined): Html =>
  text === undefined ? html`` : html`<div class="problem" role="alert"><p>${text}</p></div>`
