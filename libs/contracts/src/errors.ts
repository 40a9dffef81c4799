/**
 * Every way in which the public API refuses a request. A name is what code says; `code` (the name itself unless
 * given) is what clients read; several names may share a code when the status or the extra fields differ.
 */
import { z } from 'zod'

interface ErrorDeclaration {
  status: number
  code?: string
  /** Fields of the body besides `result`, `msg` and `code`. */
  fields?: z.ZodRawShape
}

const declare = <const T extends Record<string, ErrorDeclaration>>(declarations: T): T => declarations

export const errors = declare({
  BAD_REQUEST: { status: 400 },
  /** The method of this path refuses the caller, in the wording of "access denied". */
  ACCESS_DENIED: { status: 403, code: 'BAD_REQUEST' },
  /** An object named by the path that does not exist, or that the caller may not see. */
  RESOURCE_NOT_FOUND: { status: 404, code: 'BAD_REQUEST' },
  INCOMPATIBLE_PARAMETERS: { status: 400, code: 'BAD_REQUEST', fields: { parameters: z.string() } },
  REQUEST_VARIABLE_MISSING: { status: 400, fields: { var_name: z.string() } },
  REQUEST_CONFUSING_VAR: { status: 400, fields: { var_name1: z.string(), var_name2: z.string() } },
  INVALID_JSON: { status: 400 },
  UNAUTHORIZED: { status: 401 },
  INVALID_API_KEY: { status: 401 },
  AUTHENTICATION_FAILED: { status: 401 },
  USER_DEACTIVATED: { status: 401 },
  REALM_DEACTIVATED: { status: 401 },
  PASSWORD_AUTH_DISABLED: { status: 401 },
  PASSWORD_RESET_REQUIRED: { status: 401 },
  CSRF_FAILED: { status: 403 },
  UNAUTHORIZED_PRINCIPAL: { status: 400 },
  PERMISSION_DENIED: { status: 403 },
  /** A channel that the request names by its name. */
  STREAM_DOES_NOT_EXIST: { status: 400, fields: { stream: z.string() } },
  /** A channel that the request names by its ID. */
  STREAM_WITH_ID_DOES_NOT_EXIST: {
    status: 400,
    code: 'STREAM_DOES_NOT_EXIST',
    fields: { stream_id: z.int() },
  },
  BAD_NARROW: { status: 400, fields: { desc: z.string() } },
  BAD_EVENT_QUEUE_ID: { status: 400, fields: { queue_id: z.string() } },
  EXPECTATION_MISMATCH: { status: 400 },
  /** The channel is known to the caller, but not the caller's to change. */
  CANNOT_ADMINISTER_CHANNEL: { status: 400 },
  /** Only the newest messages of a topic may still be moved. */
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    fields: {
      first_message_id_allowed_to_move: z.int().nullable(),
      total_messages_in_topic: z.int(),
      total_messages_allowed_to_move: z.int(),
    },
  },
  REACTION_ALREADY_EXISTS: { status: 400 },
  REACTION_DOES_NOT_EXIST: { status: 400 },
  CANNOT_DEACTIVATE_LAST_USER: { status: 400, fields: { is_last_owner: z.boolean(), entity: z.string() } },
  /** The group is named by a setting, or in another group: what stands in the way is listed. */
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    status: 400,
    fields: {
      objections: z.array(
        z.union([
          z.strictObject({ type: z.literal('realm'), settings: z.array(z.string()) }),
          z.strictObject({
            type: z.literal('channel'),
            channel_id: z.int(),
            settings: z.array(z.string()),
          }),
          z.strictObject({
            type: z.literal('user_group'),
            group_id: z.int(),
            settings: z.array(z.string()),
          }),
          z.strictObject({ type: z.literal('subgroup'), supergroup_ids: z.array(z.int()) }),
        ]),
      ),
    },
  },
  /** The organization's files would take more space than they may. */
  REALM_UPLOAD_QUOTA: { status: 400 },
  /** A mention of more people than anybody may call (can_mention_many_users_group). */
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: { status: 400 },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: { status: 400 },
  /** No image of a kind that is taken. */
  BAD_IMAGE: { status: 400 },
  SYSTEM_GROUP_REQUIRED: { status: 400, fields: { setting_name: z.string() } },
  /** Some addresses, or all, got no invitation; each with the reason, and whether its account is deactivated. */
  INVITATION_FAILED: {
    status: 400,
    fields: {
      errors: z.array(z.tuple([z.string(), z.string(), z.boolean()])),
      sent_invitations: z.boolean(),
      daily_limit_reached: z.boolean(),
      license_limit_reached: z.boolean(),
    },
  },
  RATE_LIMIT_HIT: { status: 429, fields: { 'retry-after': z.number() } },
  NONEXISTENT_SUBDOMAIN: { status: 404 },
  /** No such path. */
  NOT_FOUND: { status: 404, code: 'BAD_REQUEST' },
  METHOD_NOT_ALLOWED: { status: 405, fields: { allowed_methods: z.array(z.string()) } },
  REQUEST_TIMEOUT: { status: 408 },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'BAD_REQUEST' },
  URI_TOO_LONG: { status: 414, code: 'BAD_REQUEST' },
  HEADERS_TOO_LARGE: { status: 431, code: 'BAD_REQUEST' },
  INTERNAL_SERVER_ERROR: { status: 500 },
  /** An engine or a service is away, or the server is full: try again after `Retry-After` seconds. */
  SERVER_NOT_READY: { status: 503 },
})

export type ErrorName = keyof typeof errors

/** Extra body fields of an error; `Record<never, never>` for the errors that have none. */
export type ErrorFields<N extends ErrorName> = (typeof errors)[N] extends { fields: infer F }
  ? z.input<z.ZodObject<Extract<F, z.ZodRawShape>>>
  : Record<never, never>

/** The third argument of `refuse`: demanded for the errors that carry fields, absent for the others. */
export type FieldsArgument<N extends ErrorName> = keyof ErrorFields<N> extends never
  ? []
  : [fields: ErrorFields<N>]

/** Refusals that any endpoint may answer with, so that contracts need not repeat them. */
export type ImpliedError = 'BAD_REQUEST'

/** A refusal on its way to the client. Its message is a sentence for a person; clients read `code`. */
export class ApiError extends Error {
  readonly error: ErrorName
  readonly fields: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    error: ErrorName,
    message: string,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.error = error
    this.fields = fields
    this.headers = headers
  }

  get status(): number {
    return errors[this.error].status
  }

  /** The documented code, as sent. */
  get code(): string {
    const declaration: ErrorDeclaration = errors[this.error]
    return declaration.code ?? this.error
  }

  /** The body of the answer: the envelope and the fields of this code. */
  body(): Record<string, unknown> {
    return { result: 'error', msg: this.message, code: this.code, ...this.fields }
  }
}

/** Makes the error to throw; only errors of the union `E` (those that the endpoint declares) are accepted. */
export type Refuse<E extends ErrorName> = <N extends E>(
  error: N,
  message: string,
  ...fields: FieldsArgument<N>
) => ApiError

/** The unrestricted form, for code that stands before any endpoint (the gateway, the kit). */
export const refuse: Refuse<ErrorName> = (error, message, ...fields) =>
  new ApiError(error, message, fields[0] ?? {})

/** What is said of a file that is larger than so many MiB. */
export const fileTooLarge = (mebibytes: number): ApiError =>
  refuse('BAD_REQUEST', `Uploaded file is larger than the allowed limit of ${mebibytes} MiB`)

/** What a call without credentials is told where an account is needed, or spectators are not let in. */
export const notLoggedIn = (): ApiError =>
  refuse('UNAUTHORIZED', 'Not logged in: API authentication or user session required')

/** Postgres, Kafka, Redis, the object store, or another service of the house cannot be reached now. */
export class EngineUnavailableError extends Error {
  readonly engine: string
  constructor(engine: string, options?: ErrorOptions) {
    super(`${engine} is away`, options)
    this.name = 'EngineUnavailableError'
    this.engine = engine
  }
}
