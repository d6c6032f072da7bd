import { randomBytes } from 'node:crypto'
import { cleanName, ID_PREFIX } from '#kit'
import {
  createClientDocumentFetch,
  type FetchClientDocument,
} from '../../../../ops/providers/client-documents/fetch.ts'
import { findRegisteredClient, type RegisteredClient, registerClient } from '../../../../sql/connector/index.ts'
import { DestinationRefused } from '../../../../tasks/formats/web-address/destination.ts'
import type { ApiContext } from '../../../context.ts'
import { isObject } from '../../../intake/x402/payments.ts'
import { OAuthError } from './failure.ts'
import { isRedirectUri } from './redirect-uri.ts'

/** A program that asks to act for an account. */
export interface OAuthClient extends RegisteredClient {
  id: string
  /** Whether it is described at an address of its own, which proves who publishes it. */
  isPublished: boolean
}

const MAX_NAME_CHARS = 80
const MAX_REDIRECT_URIS = 10
const MAX_ID_CHARS = 1_000
const KEPT_MS = 5 * 60_000
const MAX_KEPT = 1_000

interface KeptDocuments {
  fetch: FetchClientDocument
  clients: Map<string, { client: OAuthClient; until: number }>
}

const kept = new WeakMap<ApiContext, KeptDocuments>()

/** Whether a client is named by the address of its description. */
export function isDocumentId(id: string): boolean {
  return /^https?:\/\//.test(id)
}

export async function findClient(context: ApiContext, id: string): Promise<OAuthClient> {
  if (id.length > MAX_ID_CHARS) throw new OAuthError('invalid_client', 'The client_id is too long.')
  if (isDocumentId(id)) return findPublishedClient(context, id)
  const registered = await findRegisteredClient(context.db, id)
  if (!registered)
    throw new OAuthError('invalid_client', 'No client is registered with this client_id; register again.')
  return { id, ...registered, isPublished: false }
}

/** Fetched again after some minutes, so that its publisher can change it, and never for a caller that is not signed in. */
async function findPublishedClient(context: ApiContext, id: string): Promise<OAuthClient> {
  const documents = openDocuments(context)
  const known = documents.clients.get(id)
  if (known && known.until > performance.now()) return known.client
  const client = readDocument(id, await fetchDocument(documents, id))
  if (documents.clients.size >= MAX_KEPT) documents.clients.clear()
  documents.clients.set(id, { client, until: performance.now() + KEPT_MS })
  return client
}

function openDocuments(context: ApiContext): KeptDocuments {
  const opened = kept.get(context) ?? {
    fetch: context.config.isQuiet ? fetchNothing : createClientDocumentFetch(context.config.clientNetworks),
    clients: new Map(),
  }
  kept.set(context, opened)
  return opened
}

async function fetchNothing(): Promise<never> {
  throw new DestinationRefused('this installation is quiet')
}

/** The reason of a failure is shown only where it says nothing of what is inside this network. */
async function fetchDocument(documents: KeptDocuments, id: string): Promise<unknown> {
  const url = URL.canParse(id) ? new URL(id) : undefined
  if (!url || url.href !== id || url.pathname === '/' || url.hash !== '')
    throw new OAuthError(
      'invalid_client',
      'A client_id that is an address needs a path, and neither a fragment nor dots.',
    )
  try {
    return await documents.fetch(id)
  } catch (error) {
    const reason = error instanceof DestinationRefused ? `: ${error.message}` : ''
    throw new OAuthError('invalid_client', `The description of the client cannot be read from its address${reason}.`)
  }
}

function readDocument(id: string, document: unknown): OAuthClient {
  if (!isObject(document) || document.client_id !== id)
    throw new OAuthError('invalid_client', 'The description at the address of the client names another client_id.')
  const { token_endpoint_auth_method: method = 'none' } = document
  if (method !== 'none')
    throw new OAuthError(
      'invalid_client',
      'Only clients without a secret are accepted: token_endpoint_auth_method none.',
    )
  return { id, ...readClient(document), isPublished: true }
}

/** Registers a client that describes itself in the request. It gets no secret, whatever it asks for. */
export async function registerNewClient(context: ApiContext, body: unknown): Promise<OAuthClient> {
  if (!isObject(body)) throw new OAuthError('invalid_client_metadata', 'The body must be a JSON object.')
  const id = `${ID_PREFIX}_client_${randomBytes(16).toString('base64url')}`
  const client = { id, ...readClient(body), isPublished: false }
  await registerClient(context.db, client, context.settings.get('mcp.max_waiting_clients'))
  return client
}

function readClient(fields: Record<string, unknown>): RegisteredClient {
  const { client_name: name, redirect_uris: uris, grant_types: grants = [], response_types: types = [] } = fields
  const isList = Array.isArray(uris) && uris.length > 0 && uris.length <= MAX_REDIRECT_URIS
  if (!isList || !uris.every(isRedirectUri)) {
    const rule = 'https, http on this computer, or a scheme of the application'
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be 1 to ${MAX_REDIRECT_URIS} addresses: ${rule}.`)
  }
  if (!includesIfAny(grants, 'authorization_code') || !includesIfAny(types, 'code'))
    throw new OAuthError(
      'invalid_client_metadata',
      'Only the grant authorization_code with the response type code is offered.',
    )
  return {
    name: (typeof name === 'string' && cleanName(name.toWellFormed(), MAX_NAME_CHARS)) || null,
    redirectUris: uris,
  }
}

function includesIfAny(list: unknown, item: string): boolean {
  return Array.isArray(list) && (list.length === 0 || list.includes(item))
}
