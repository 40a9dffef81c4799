import { limits } from '@parley/contracts'
import { externalAccounts } from '@parley/contracts/objects/profile-field'
import { reportTypes } from '@parley/contracts/objects/report-type'
import { type ThumbnailFormat, thumbnailFormats } from '@parley/contracts/objects/thumbnail-format'
import type { DeletionBounds } from './deletion-rules.ts'
import type { JsonValue } from './settings-in-force.ts'

/** Where a public Jitsi server is, for organizations that name none. */
const jitsiServer = 'https://meet.jit.si'

const ratings = ['disabled', 'y', 'g', 'pg', 'pg-13', 'r'] as const
const ratingNames = [
  'GIFs disabled',
  'Rated Y (very young audience)',
  'Rated G (general audience)',
  'Rated PG (parental guidance)',
  'Rated PG-13 (parental guidance - under 13)',
  'Rated R (restricted)',
]

/** What the server says of itself to everybody alike. */
export const serverFields = (settings: Readonly<Record<string, JsonValue>>, bounds: DeletionBounds) => ({
  realm_default_external_accounts: structuredClone(externalAccounts),
  gif_rating_policy_options: Object.fromEntries(
    ratings.map((rating, id) => [rating, { id, name: ratingNames[id]! }]),
  ),
  jitsi_server_url: (settings.jitsi_server_url as string | null) ?? jitsiServer,
  server_jitsi_server_url: jitsiServer,
  server_thumbnail_formats: structuredClone(thumbnailFormats) as ThumbnailFormat[],
  upgrade_text_for_wide_organization_logo: '',
  server_inline_image_preview: true,
  server_inline_url_embed_preview: false,
  server_avatar_changes_disabled: false,
  server_name_changes_disabled: false,
  server_needs_upgrade: false,
  server_web_public_streams_enabled: true,
  server_can_summarize_topics: false,
  settings_send_digest_emails: false,
  server_report_message_types: [...reportTypes],
  server_min_deactivated_realm_deletion_days: bounds.min,
  server_max_deactivated_realm_deletion_days: bounds.max,
  max_stream_name_length: limits.maxChannelNameLength,
  max_stream_description_length: limits.maxChannelDescriptionLength,
  max_topic_length: limits.maxTopicLength,
  max_message_length: limits.maxMessageLength,
  max_channel_folder_name_length: limits.maxChannelFolderNameLength,
  max_channel_folder_description_length: limits.maxChannelFolderDescriptionLength,
  max_avatar_file_size_mib: limits.maxAvatarFileSizeMib,
  max_icon_file_size_mib: limits.maxIconFileSizeMib,
  max_logo_file_size_mib: limits.maxLogoFileSizeMib,
  password_min_guesses: limits.minPasswordGuesses,
})
