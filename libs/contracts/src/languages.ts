import { z } from 'zod'

/** English name of a language by its standard code (`de`, `pt-br`, `zh-hans`); undefined for what is none. */
export const languageName = (code: string): string | undefined => {
  try {
    return new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code)
  } catch {
    return undefined
  }
}

export const LanguageCode = z
  .string()
  .max(50)
  .refine((code) => languageName(code) !== undefined, { message: 'Invalid language' })
