import type { SurfaceOptions } from '../entries.ts'
import { SERVER_CARD_TYPE } from '../mcp/server-card.ts'
import { OPENAPI_TYPE } from './ai-catalog.ts'

/** By RFC 9727: a set of links (RFC 9264) to what describes each API of this address. */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

export function renderApiCatalog({ publicUrl }: SurfaceOptions, hasMcp: boolean) {
  const link = (path: string, type: string) => ({ href: publicUrl + path, type })
  const rest = {
    anchor: `${publicUrl}/`,
    'service-desc': [link('/openapi.json', OPENAPI_TYPE)],
    'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/plain')],
    'service-meta': [link('/v1/prices', 'application/json'), link('/v1/capabilities', 'application/json')],
    status: [link('/v1/status', 'application/json'), link('/health', 'application/json')],
  }
  const mcp = { anchor: `${publicUrl}/mcp`, 'service-desc': [link('/mcp/server-card', SERVER_CARD_TYPE)] }
  return { contentType: API_CATALOG_TYPE, text: JSON.stringify({ linkset: [rest, ...(hasMcp ? [mcp] : [])] }) }
}
