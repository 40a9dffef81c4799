/** Small sections of the registration that belong to no other noun: what the server offers, and what people have seen. */
import { z } from 'zod'
import { section } from '../section.ts'
import { OnboardingStep } from './onboarding.ts'

export const onboardingStepsSection = section({
  service: 'identity',
  name: 'onboarding_steps',
  fields: {
    onboarding_steps: z.array(OnboardingStep),
    navigation_tour_video_url: z.string().nullable(),
  },
})

/** There is nothing to be sponsored on a server of one's own. */
export const realmBillingSection = section({
  service: 'identity',
  name: 'realm_billing',
  fields: { realm_billing: z.strictObject({ has_pending_sponsorship_request: z.boolean() }) },
})

/** Accounts of video services that were connected; the server connects to none. */
export const videoCallsSection = section({
  service: 'identity',
  name: 'video_calls',
  covers: [],
  fields: { has_zoom_token: z.boolean(), has_webex_token: z.boolean() },
})

/** Empty unless an operator got a key: clients then offer no pictures of this service. */
export const giphySection = section({
  service: 'identity',
  name: 'giphy',
  fields: { giphy_api_key: z.string() },
})

export const tenorSection = section({
  service: 'identity',
  name: 'tenor',
  fields: { tenor_api_key: z.string() },
})

/** Words that the search does not look for. */
export const stopWordsSection = section({
  service: 'identity',
  name: 'stop_words',
  fields: { stop_words: z.array(z.string()) },
})

/** The server brings no ready-made integrations. */
export const realmIncomingWebhookBotsSection = section({
  service: 'identity',
  name: 'realm_incoming_webhook_bots',
  fields: {
    realm_incoming_webhook_bots: z.array(
      z.strictObject({
        name: z.string(),
        display_name: z.string(),
        all_event_types: z.array(z.string()).nullable(),
        config_options: z.array(
          z.strictObject({ key: z.string(), label: z.string(), validator: z.string() }),
        ),
        url_options: z.array(z.strictObject({ key: z.string(), label: z.string(), input_type: z.string() })),
      }),
    ),
  },
})
