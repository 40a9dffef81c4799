import { endpoint } from '../endpoint.ts'

export const getGenerate204 = endpoint({
  method: 'GET',
  root: 'server',
  path: '/generate_204',
  service: 'gateway',
  summary: 'Whether the server can be reached at all: status 204, and nothing else.',
  access: 'anyone',
  doors: 'open',
  answer: 'stream',
  realmless: true,
  params: {},
  reply: {},
})

export const getCompatibility = endpoint({
  method: 'GET',
  root: 'server',
  path: '/compatibility',
  service: 'gateway',
  summary:
    'Whether the server still speaks with the client that its User-Agent names: with every one so far.',
  access: 'anyone',
  doors: 'open',
  realmless: true,
  params: {},
  reply: {},
})
