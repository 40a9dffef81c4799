import { registerQueue } from '@parley/contracts/event-queue/queues'
import { onboardingStepNames } from '@parley/contracts/identity/onboarding'
import { realmPermissionNames } from '@parley/contracts/identity/permission-settings'
import { realmSettingNames } from '@parley/contracts/identity/realm-settings'
import { wholeFields } from '@parley/kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { markOnboardingStep } from '../onboarding/mark-onboarding-step.ts'
import { onboardingStepsSection } from '../onboarding/onboarding-steps-section.ts'
import { realmSection } from '../realms/realm-section.ts'
import { updateRealm } from '../realms/update-realm.ts'
import { service } from '../service.ts'
import { openTestOrganization, type TestOrganization } from '../test-people.ts'
import { openTestRoom, type TestRoom } from '../test-room.ts'
import { stopWords } from './stop-words.ts'

let room: TestRoom
let people: TestOrganization['people']
beforeAll(async () => {
  room = await openTestRoom()
  people = (await openTestOrganization(room)).people
})
afterAll(() => room.close())

const read = async (handler: { read: (context: never) => Promise<object> }, caller = people.member) => {
  const context = {
    caller,
    options: { client_gravatar: false, client_capabilities: {} },
    sql: room.deps.database.sql,
    deps: room.deps,
  }
  return (await wholeFields(await handler.read(context as never))) as Record<string, unknown>
}

/** Facts 3.4: what the state says of the organization besides its settings and permissions. */
const documented = `
  realm_name realm_description realm_uri realm_url realm_uuid realm_bot_domain realm_date_created realm_icon_url
  realm_icon_source realm_logo_url realm_logo_source realm_night_logo_url realm_night_logo_source realm_org_type
  realm_plan_type realm_owner_full_content_access zulip_plan_is_not_limited upgrade_text_for_wide_organization_logo
  realm_upload_quota_mib realm_default_external_accounts realm_available_video_chat_providers
  gif_rating_policy_options realm_empty_topic_display_name realm_push_notifications_enabled
  realm_push_notifications_enabled_end_timestamp realm_password_auth_enabled realm_email_auth_enabled
  realm_authentication_methods realm_allow_edit_history realm_mandatory_topics realm_create_public_stream_policy
  realm_create_private_stream_policy realm_create_web_public_stream_policy realm_wildcard_mention_policy
  jitsi_server_url development_environment server_generation event_queue_longpoll_timeout_seconds
  server_emoji_data_url server_thumbnail_formats server_inline_image_preview server_inline_url_embed_preview
  server_avatar_changes_disabled server_name_changes_disabled server_needs_upgrade
  server_web_public_streams_enabled server_can_summarize_topics server_jitsi_server_url
  settings_send_digest_emails server_report_message_types server_supported_permission_settings
  server_min_deactivated_realm_deletion_days server_max_deactivated_realm_deletion_days
  server_presence_ping_interval_seconds server_presence_offline_threshold_seconds
  server_typing_started_wait_period_milliseconds server_typing_stopped_wait_period_milliseconds
  server_typing_started_expiry_period_milliseconds max_stream_name_length max_stream_description_length
  max_topic_length max_message_length max_channel_folder_name_length max_channel_folder_description_length
  max_reminder_note_length max_bulk_new_subscription_messages max_avatar_file_size_mib max_icon_file_size_mib
  max_logo_file_size_mib password_min_length password_max_length password_min_guesses
  receives_typing_notifications`
  .trim()
  .split(/\s+/)

/** Facts 3.3: the sections of which this service is the owner. */
const ownSections = `
  alert_words custom_profile_fields device giphy tenor muted_users onboarding_steps realm realm_billing realm_bot
  realm_embedded_bots realm_filters realm_incoming_webhook_bots realm_linkifiers realm_playgrounds realm_user
  realm_user_groups realm_user_settings_defaults stop_words user_settings video_calls update_display_settings
  update_global_notifications`
  .trim()
  .split(/\s+/)

describe('the state that clients register with', () => {
  it('has every documented field of the organization, in the answer and in what is served', async () => {
    const all = [
      ...documented,
      ...realmSettingNames.map((name) => `realm_${name}`),
      ...realmPermissionNames.map((name) => `realm_${name}`),
    ]
    expect(Object.keys(registerQueue.reply)).toEqual(expect.arrayContaining(all))
    // What the answer declares is served: by this service as declared, by others as their tests say.
    const state = await read(realmSection)
    expect(z.strictObject(realmSection.section.fields).parse(state)).toBeTruthy()
  })

  it('has every section that is this service’s, each as it is declared', async () => {
    const handlers = Object.values(service.sections) as unknown as {
      section: { name: string; fields: z.ZodRawShape }
      read: (context: never) => Promise<object>
    }[]
    expect(handlers.map(({ section }) => section.name)).toEqual(expect.arrayContaining(ownSections))
    for (const handler of handlers) {
      const parsed = z.strictObject(handler.section.fields).safeParse(await read(handler))
      expect(parsed.error?.issues ?? [], handler.section.name).toEqual([])
    }
  })

  it('tells clients of long ago the number that comes nearest to a permission', async () => {
    expect(await read(realmSection)).toMatchObject({
      realm_create_public_stream_policy: 1,
      realm_create_web_public_stream_policy: 7,
      realm_wildcard_mention_policy: 5,
    })
    const state = (await read(realmSection)) as { realm_can_create_groups: number }
    await room.call(updateRealm, people.owner, {
      can_mention_many_users_group: JSON.stringify({ new: state.realm_can_create_groups }),
      can_create_public_channel_group: JSON.stringify({
        new: { direct_members: [people.member.user.id], direct_subgroups: [] },
      }),
    })
    expect(await read(realmSection)).toMatchObject({
      realm_create_public_stream_policy: 2,
      realm_wildcard_mention_policy: 2,
    })
  })

  it('names the words that the search leaves out', async () => {
    const [row] = await room.deps.database.sql`
      SELECT count(*)::int AS found FROM unnest(${[...stopWords]}::text[]) AS word
      WHERE to_tsvector('english', word) <> ''::tsvector`
    expect(row).toEqual({ found: 0 })
  })
})

describe('what clients explain once', () => {
  it('is explained until it was seen', async () => {
    const { guest } = people
    await room.announced()
    const name = 'intro_inbox_view_modal'
    expect((await read(onboardingStepsSection, guest)).onboarding_steps).toContainEqual({
      type: 'one_time_notice',
      name,
    })
    await room.call(markOnboardingStep, guest, { onboarding_step: name })
    await room.call(markOnboardingStep, guest, { onboarding_step: name })
    const { onboarding_steps } = await read(onboardingStepsSection, guest)
    expect(onboarding_steps).not.toContainEqual({ type: 'one_time_notice', name })
    expect(await room.announced()).toMatchObject([
      { audience: { users: [guest.user.id] }, value: { type: 'onboarding_steps', onboarding_steps } },
    ])
    await expect(
      room.call(markOnboardingStep, guest, { onboarding_step: 'unheard_of' }),
    ).rejects.toMatchObject({ error: 'BAD_REQUEST' })
  })

  it('is told whole, however much is seen at once', async () => {
    const { member } = people
    await room.announced()
    await Promise.all(
      onboardingStepNames.map((name) => room.call(markOnboardingStep, member, { onboarding_step: name })),
    )
    const told = await room.announced()
    expect(told).toHaveLength(onboardingStepNames.length)
    expect(told.at(-1)!.value.onboarding_steps).toEqual([])
  })
})
