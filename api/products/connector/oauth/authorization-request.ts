import type { ApiContext } from '../../../context.ts'
import { RESOURCE_PATHS } from '../../../oauth/metadata.ts'
import { parseScopes, SCOPES, type Scope } from '../../../oauth/scopes.ts'
import { findClient, isDocumentId, type OAuthClient } from './clients.ts'
import { OAuthError } from './failure.ts'
import { addParameters, isRedirectUri, matchesRedirectUri } from './redirect-uri.ts'

/** What a client asks a user to approve. */
export interface AuthorizationRequest {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
  challenge: string
  resource: string
  scopes: readonly Scope[]
}

/** A fault of a request whose client is known: it may be sent back there, by the user's own choice. */
export class FaultyRequest extends Error {
  readonly fault: OAuthError
  readonly returnTo: string
  readonly client: OAuthClient

  constructor(fault: OAuthError, client: OAuthClient, returnTo: string) {
    super(fault.message)
    this.name = 'FaultyRequest'
    this.fault = fault
    this.client = client
    this.returnTo = returnTo
  }
}

const MAX_STATE_CHARS = 2_000

/** The parameters of an address; a repeated one makes the request ambiguous. */
export function readParameters(text: URLSearchParams): Record<string, string> {
  const pairs = [...text]
  const values = Object.fromEntries(pairs)
  const repeated = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index)
  if (repeated) throw new OAuthError('invalid_request', `${repeated[0].slice(0, 40)} is given more than once.`)
  const broken = pairs.find(([, value]) => value.includes('\0'))
  if (broken) throw new OAuthError('invalid_request', `${broken[0].slice(0, 40)} contains a NUL character.`)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

/** Whether the client can only be looked up for a user that is signed in. */
export function needsSignInFirst({ client_id: id = '' }: Record<string, string>): boolean {
  return isDocumentId(id)
}

/** Checks a request. Until its client and its redirect URI are known to belong together, nothing may be sent there. */
export async function readAuthorizationRequest(
  context: ApiContext,
  given: Record<string, string>,
): Promise<AuthorizationRequest> {
  if (given.client_id === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  const client = await findClient(context, given.client_id)
  const redirectUri = chooseRedirectUri(client, given.redirect_uri)
  const state = given.state?.slice(0, MAX_STATE_CHARS + 1)
  try {
    if (state !== undefined && state.length > MAX_STATE_CHARS)
      throw new OAuthError('invalid_request', `state may have ${MAX_STATE_CHARS} characters.`)
    return { client, redirectUri, state, ...readTerms(context, given) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new FaultyRequest(error, client, answerWithError(context, { redirectUri, state }, error))
  }
}

function chooseRedirectUri({ redirectUris }: OAuthClient, given: string | undefined): string {
  const only = redirectUris.length === 1 ? redirectUris[0] : undefined
  if (given === undefined && only !== undefined) return only
  if (given === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing.')
  if (isRedirectUri(given) && redirectUris.some(uri => matchesRedirectUri(uri, given))) return given
  throw new OAuthError('invalid_redirect_uri', 'The redirect_uri is not one that the client has registered.')
}

function readTerms({ config }: ApiContext, given: Record<string, string>) {
  if (given.response_type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  if (given.request !== undefined || given.request_uri !== undefined)
    throw new OAuthError('invalid_request', 'Request objects are not supported.')
  const { code_challenge: challenge, code_challenge_method: method } = given
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256.')
  if (!challenge || !/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 hash in base64url.')
  const scopes = given.scope === undefined ? SCOPES : parseScopes(given.scope)
  if (!scopes) throw new OAuthError('invalid_scope', `The scopes are ${SCOPES.join(', ')}.`)
  const all = RESOURCE_PATHS.map(path => config.publicUrl + path)
  const resource = given.resource ?? all[0]!
  if (!all.includes(resource)) throw new OAuthError('invalid_target', `The resources are ${all.join(' and ')}.`)
  return { challenge, resource, scopes: scopes.length > 0 ? scopes : SCOPES }
}

type Answered = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** Every answer names who gives it, so that a client of several servers cannot be made to confuse them. */
export function answerWithCode({ config }: ApiContext, { redirectUri, state }: Answered, code: string): string {
  return addParameters(redirectUri, { code, state, iss: config.publicUrl })
}

export function answerWithError({ config }: ApiContext, { redirectUri, state }: Answered, error: OAuthError): string {
  const { code, message } = error
  return addParameters(redirectUri, { error: code, error_description: message, state, iss: config.publicUrl })
}
