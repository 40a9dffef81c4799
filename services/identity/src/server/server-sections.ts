import {
  realmBillingSection as billingContract,
  giphySection as giphyContract,
  stopWordsSection as stopWordsContract,
  tenorSection as tenorContract,
  videoCallsSection as videoCallsContract,
  realmIncomingWebhookBotsSection as webhookBotsContract,
} from '@parley/contracts/identity/sections'
import { section } from '../room.ts'
import { stopWords } from './stop-words.ts'

export const realmBillingSection = section(billingContract, async () => ({
  realm_billing: { has_pending_sponsorship_request: false },
}))

export const videoCallsSection = section(videoCallsContract, async () => ({
  has_zoom_token: false,
  has_webex_token: false,
}))

export const giphySection = section(giphyContract, async ({ deps }) => ({ giphy_api_key: deps.giphyKey }))

export const tenorSection = section(tenorContract, async ({ deps }) => ({ tenor_api_key: deps.tenorKey }))

export const stopWordsSection = section(stopWordsContract, async () => ({ stop_words: [...stopWords] }))

export const realmIncomingWebhookBotsSection = section(webhookBotsContract, async () => ({
  realm_incoming_webhook_bots: [],
}))
