import { Type } from 'typebox'
import { SCOPES } from './scopes.ts'

/** The addresses at which connector tokens are accepted. */
export const RESOURCE_PATHS = ['/mcp', '/mcp/full', '/mcp/few'] as const
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

export const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

export const ResourceMetadata = Type.Object(
  { resource: Type.String(), authorization_servers: Type.Array(Type.String()) },
  { additionalProperties: true },
)

/** Where the metadata of a resource is. */
export function resourceMetadataUrl(publicUrl: string, path: string): string {
  return `${publicUrl}${RESOURCE_METADATA}${path}`
}

/** RFC 9728: where a client gets a token for MCP. */
export function renderResource(path: string) {
  return (_entries: unknown, { publicUrl }: { publicUrl: string }) => {
    const document = {
      resource: `${publicUrl}${path}`,
      authorization_servers: [publicUrl],
      scopes_supported: [...SCOPES],
      bearer_methods_supported: ['header'],
      resource_name: 'coinop',
      resource_documentation: `${publicUrl}/llms.txt`,
    }
    return { contentType: 'application/json; charset=utf-8', text: JSON.stringify(document) }
  }
}

/** RFC 8414: how it gets one. */
export function renderAuthorizationServer(_entries: unknown, { publicUrl }: { publicUrl: string }) {
  const document = {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + OAUTH_PATHS.authorize,
    token_endpoint: publicUrl + OAUTH_PATHS.token,
    registration_endpoint: publicUrl + OAUTH_PATHS.register,
    revocation_endpoint: publicUrl + OAUTH_PATHS.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [...SCOPES],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/llms.txt`,
  }
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify(document) }
}
