import {
  realmBillingSection as billingContract,
  giphySection as giphyContract,
  stopWordsSection as stopWordsContract,
  tenorSection as tenorContract,
  videoCallsSection as videoCallsContract,
  realmIncomingWebhookBotsSection as webhookBotsContract,
} from '@parley/contracts/identity/sections'
import { type Deps, section } from '../room.ts'
import { stopWords } from './stop-words.ts'

// All of these say the same to everybody, with an account or without.

const billing = async () => ({ realm_billing: { has_pending_sponsorship_request: false } })
export const realmBillingSection = section(billingContract, billing, billing)

const videoCalls = async () => ({ has_zoom_token: false, has_webex_token: false })
export const videoCallsSection = section(videoCallsContract, videoCalls, videoCalls)

const giphy = async ({ deps }: { deps: Deps }) => ({ giphy_api_key: deps.giphyKey })
export const giphySection = section(giphyContract, giphy, giphy)

const tenor = async ({ deps }: { deps: Deps }) => ({ tenor_api_key: deps.tenorKey })
export const tenorSection = section(tenorContract, tenor, tenor)

const words = async () => ({ stop_words: [...stopWords] })
export const stopWordsSection = section(stopWordsContract, words, words)

const webhookBots = async () => ({ realm_incoming_webhook_bots: [] })
export const realmIncomingWebhookBotsSection = section(webhookBotsContract, webhookBots, webhookBots)
