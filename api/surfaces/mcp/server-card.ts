import { Type } from 'typebox'
import { type Entry, ID_PREFIX } from '#kit'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from '../../mcp/protocol.ts'
import type { SurfaceOptions } from '../entries.ts'
import type { Plain } from '../openapi/plain-schema.ts'

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json'
export const SERVER_TITLE = 'coinop'
export const SERVER_DESCRIPTION = 'Pay-per-call file and data operations: PDF, images, tables, text, codes, archives.'

/** Later revisions of the format may add fields. */
export const ServerCard = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    title: Type.String(),
    description: Type.String(),
    websiteUrl: Type.String(),
    remotes: Type.Array(
      Type.Object(
        { type: Type.String(), url: Type.String(), supportedProtocolVersions: Type.Array(Type.String()) },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true },
)

/** Where and how MCP clients reach this service. */
function buildServerCard({ publicUrl, version }: Pick<SurfaceOptions, 'publicUrl' | 'version'>): Plain {
  const key = {
    name: 'Authorization',
    description: 'An API key. Without one, calls are paid by x402, where this service takes such payments.',
    isRequired: false,
    isSecret: true,
    value: 'Bearer {api_key}',
  }
  const remotes = ['/mcp', '/mcp/full', '/mcp/few'].map(path => ({
    type: 'streamable-http',
    url: `${publicUrl}${path}`,
    supportedProtocolVersions: [...MODERN_VERSIONS, ...LEGACY_VERSIONS],
    headers: [key],
  }))
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${reverseHost(publicUrl)}/${ID_PREFIX}`,
    version,
    title: SERVER_TITLE,
    description: SERVER_DESCRIPTION,
    websiteUrl: publicUrl,
    remotes,
    _meta: {},
  }
}

/** Names of servers are reverse-DNS: `com.example.api`. Addresses are no names, so they stay as they are. */
function reverseHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  return /[a-z]/i.test(hostname) ? hostname.split('.').reverse().join('.') : hostname.replaceAll(/[^0-9a-z.]/gi, '.')
}

export function renderServerCard(_entries: readonly Entry[], options: SurfaceOptions) {
  return { contentType: SERVER_CARD_TYPE, text: JSON.stringify(buildServerCard(options)) }
}
