import { limits } from '@parley/contracts'
import type { Linkifier, Playground } from '@parley/contracts/objects/linkifier'
import { codePoints } from '@parley/contracts/objects/values'
import { compilePattern, compileTemplate, type LinkifierPattern, type UrlTemplate } from '@parley/markdown'
import type { Finding } from '../users/user-rules.ts'
import { compileReverse } from './reverse-template.ts'

const compiled = <T>(make: () => T): T | { readonly finding: string } => {
  try {
    return make()
  } catch (error) {
    if (error instanceof SyntaxError) return { finding: error.message }
    throw error
  }
}

const templateFinding = (template: UrlTemplate, { names }: LinkifierPattern, isWhole: boolean): Finding => {
  const unknown = template.names.find((name) => !names.includes(name))
  if (unknown !== undefined) return `Group '${unknown}' in URL template is not present in linkifier pattern.`
  const unused = isWhole ? names.find((name) => !template.names.includes(name)) : undefined
  return unused === undefined
    ? undefined
    : `Group '${unused}' in linkifier pattern is not present in URL template.`
}

/** What is wrong with a linkifier, by itself. */
export const linkifierFinding = (linkifier: Omit<Linkifier, 'id'>): Finding => {
  if (linkifier.pattern === '') return 'Linkifier pattern cannot be blank.'
  const pattern = compiled(() => compilePattern(linkifier.pattern))
  if ('finding' in pattern) return `Bad regular expression: ${pattern.finding}`
  if (pattern.matchWhole('') !== undefined) return 'Bad regular expression: it matches nothing at all'
  const template = compiled(() => compileTemplate(linkifier.url_template))
  if ('finding' in template) return `Invalid URL template. ${template.finding}`
  if (linkifier.url_template.trim() === '') return 'URL template cannot be blank.'
  const wrong = templateFinding(template, pattern, true)
  if (wrong !== undefined) return wrong
  for (const alternative of linkifier.alternative_url_templates) {
    const other = compiled(() => compileTemplate(alternative))
    if ('finding' in other) return `Invalid alternative URL template. ${other.finding}`
    const finding = templateFinding(other, pattern, false)
    if (finding !== undefined) return finding
  }
  return exampleFinding(linkifier, pattern)
}

const exampleFinding = (
  { example_input, reverse_template }: Pick<Linkifier, 'example_input' | 'reverse_template'>,
  pattern: LinkifierPattern,
): Finding => {
  const groups = example_input === null ? undefined : pattern.matchWhole(example_input)
  if (example_input !== null && groups === undefined) {
    return 'Example input does not match the linkifier pattern.'
  }
  if (reverse_template === null) return undefined
  if (groups === undefined) return 'A reverse template requires an example input.'
  const reverse = compiled(() => compileReverse(reverse_template))
  if ('finding' in reverse) return `Invalid reverse template. ${reverse.finding}`
  const unknown = reverse.names.find((name) => !pattern.names.includes(name))
  if (unknown !== undefined)
    return `Group '${unknown}' in reverse template is not present in linkifier pattern.`
  return reverse.expand(groups) === example_input
    ? undefined
    : 'The reverse template does not give the example input.'
}

/** Names that syntax highlighters give to languages. */
const languageName = /^[ a-zA-Z0-9_+\-./#]+$/

export const playgroundFinding = ({
  name,
  pygments_language,
  url_template,
}: Omit<Playground, 'id'>): Finding => {
  if (name === '') return 'Playground name cannot be blank.'
  if (codePoints(name) > limits.maxPlaygroundNameLength) {
    return `name is too long (limit: ${limits.maxPlaygroundNameLength} characters)`
  }
  if (pygments_language.length > limits.maxPygmentsLanguageLength || !languageName.test(pygments_language)) {
    return 'Invalid characters in pygments language'
  }
  const template = compiled(() => compileTemplate(url_template))
  if ('finding' in template) return `Invalid URL template. ${template.finding}`
  if (!template.names.includes('code')) return 'Missing the required variable "code" in the URL template'
  const other = template.names.find((name) => name !== 'code')
  if (other !== undefined) return '"code" should be the only variable present in the URL template'
  return /^https?:\/\//i.test(url_template) ? undefined : 'Invalid URL template.'
}
