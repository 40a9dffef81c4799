import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { codePoints } from '../objects/values.ts'
import { alertWords } from './personal-events.ts'

const reply = { alert_words: z.array(z.string()) }
const Words = z.array(z.string()).max(limits.maxAlertWords)
const isTooLong = (word: string): boolean => codePoints(word.trim()) > limits.maxAlertWordLength
const NewWords = Words.superRefine((words, context) => {
  const place = words.findIndex(isTooLong)
  if (place === -1) return
  const limit = limits.maxAlertWordLength
  context.addIssue({
    code: 'custom',
    message: `alert_words[${place}] is too long (limit: ${limit} characters)`,
  })
})

export const listAlertWords = endpoint({
  method: 'GET',
  path: '/users/me/alert_words',
  service: 'identity',
  summary: "The caller's alert words.",
  access: 'authenticated',
  params: {},
  reply,
})

export const addAlertWords = endpoint({
  method: 'POST',
  path: '/users/me/alert_words',
  service: 'identity',
  summary: "Add to the caller's alert words; words that differ only by case are one.",
  access: 'authenticated',
  params: { alert_words: NewWords },
  reply,
  emits: [alertWords],
})

export const removeAlertWords = endpoint({
  method: 'DELETE',
  path: '/users/me/alert_words',
  service: 'identity',
  summary: "Take away some of the caller's alert words, whatever their case.",
  access: 'authenticated',
  params: { alert_words: Words },
  reply,
  emits: [alertWords],
})
