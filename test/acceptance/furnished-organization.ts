import { EventReader, eventually, succeeded, type TestUser, World } from '@parley/testkit'

/** An organization with one of everything that has an ID. */
export interface Furnished {
  readonly world: World
  readonly owner: TestUser
  readonly member: TestUser
  /** Values of parameters by their names, as the contracts have them, each naming something of this organization. */
  readonly ids: Readonly<Record<string, unknown>>
}

const inAYear = Math.floor(Date.now() / 1000) + 365 * 86_400

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Row = any

/** The same things in every organization, in the same words. */
export const furnishedOrganization = async (): Promise<Furnished> => {
  const world = await World.create()
  const owner = await world.user({ role: 'owner' })
  const member = await world.user()
  const made = (path: string, wish: Record<string, unknown>): Promise<Row> =>
    succeeded(owner.post(path, wish))

  const people = { principals: [owner.id, member.id] }
  await made('/users/me/subscriptions', { subscriptions: [{ name: 'secret' }], invite_only: true, ...people })
  await made('/users/me/subscriptions', { subscriptions: [{ name: 'open' }], ...people })
  const stream_id: number = (await succeeded(owner.get('/get_stream_id', { stream: 'secret' }))).stream_id
  const open_id: number = (await succeeded(owner.get('/get_stream_id', { stream: 'open' }))).stream_id
  const { id: message_id } = await made('/messages', {
    type: 'channel',
    to: 'secret',
    topic: 'plans',
    content: 'between us',
  })
  const folder = await made('/channel_folders/create', { name: 'folder', description: '' })
  const group = await made('/user_groups/create', { name: 'crew', description: '', members: [owner.id] })
  const bot = await made('/bots', {
    full_name: 'Hook',
    short_name: 'hook',
    bot_type: 3,
    payload_url: 'http://127.0.0.1:9/',
  })
  await made('/messages', { type: 'direct', to: [bot.user_id], content: 'a call' })
  const draft = {
    type: 'stream',
    to: [stream_id],
    topic: 'plans',
    content: 'a draft',
    timestamp: 1_700_000_000,
  }
  const drafts = await made('/drafts', { drafts: [draft] })
  const snippet = await made('/saved_snippets', { title: 'snippet', content: 'text' })
  const scheduled = await made('/scheduled_messages', {
    type: 'direct',
    to: [member.id],
    content: 'later',
    scheduled_delivery_timestamp: inAYear,
  })
  const reminder = await made('/reminders', { message_id, scheduled_delivery_timestamp: inAYear })
  const field = await made('/realm/profile_fields', { name: 'field', field_type: 1 })
  const linkifier = await made('/realm/filters', {
    pattern: 'T(?P<n>[0-9]+)',
    url_template: 'https://t.example/{n}',
  })
  const playground = await made('/realm/playgrounds', {
    name: 'play',
    pygments_language: 'Python',
    url_template: 'https://p.example/{code}',
  })
  await made('/default_stream_groups/create', {
    group_name: 'starters',
    description: 'd',
    stream_names: ['open'],
  })
  await made('/invites/multiuse', {})
  await made('/invites', { invitee_emails: `guest@${world.subdomain}.example`, stream_ids: [open_id] })
  const invites: Row[] = (await succeeded(owner.get('/invites'))).invites
  const device = await made('/register_client_device', {})
  const form = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\ncontent\r\n--b--\r\n'
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  const file: string = (await succeeded(owner.send('POST', '/user_uploads', form, type))).url
  const attachments: Row[] = (await succeeded(owner.get('/attachments'))).attachments
  const reader = await EventReader.register(owner, { fetch_event_types: ['default_stream_groups'] })
  const deliveries = await eventually(async () => {
    const found = await succeeded(owner.get(`/bots/${bot.user_id}/webhook/deliveries`))
    if (found.deliveries.length === 0) throw new Error('no delivery yet')
    return found.deliveries as Row[]
  })

  return {
    world,
    owner,
    member,
    ids: {
      attachment_id: attachments[0].id,
      bot_id: bot.user_id,
      bot_owner_id: member.id,
      channel_folder_id: folder.channel_folder_id,
      delivery_id: deliveries[0].id,
      device_id: device.device_id,
      draft_id: drafts.ids[0],
      email: member.email,
      field_id: field.id,
      filter_id: linkifier.id,
      folder_id: folder.channel_folder_id,
      group_id: reader.state.default_stream_groups?.[0]?.id,
      group_ids: [group.group_id],
      invite_id: invites.find(({ is_multiuse }) => !is_multiuse).id,
      message_id,
      message_ids: [message_id],
      messages: [message_id],
      moderation_request_channel_id: stream_id,
      msg_ids: [message_id],
      muted_user_id: member.id,
      new_stream_announcements_stream_id: stream_id,
      ordered_linkifier_ids: [linkifier.id],
      path: file.split('/').slice(3).join('/'),
      playground_id: playground.id,
      principals: [member.id],
      queue_id: reader.queueId,
      realm_id: world.realmId,
      reminder_id: reminder.reminder_id,
      saved_snippet_id: snippet.saved_snippet_id,
      scheduled_message_id: scheduled.scheduled_message_id,
      sender_id: bot.user_id,
      signup_announcements_stream_id: stream_id,
      stream_id,
      stream_ids: [stream_id],
      subscribers: [member.id],
      to: [member.id],
      user_group_id: group.group_id,
      user_id: member.id,
      user_id_or_email: String(member.id),
      user_ids: [member.id],
      who: String(member.id),
    },
  }
}
