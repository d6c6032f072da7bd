import { ID_PREFIX } from '#kit'
import { SUMMARY, type SurfaceOptions } from '../entries.ts'
import { SERVER_CARD_TYPE, SERVER_DESCRIPTION, SERVER_TITLE } from '../mcp/server-card.ts'
import type { Plain } from '../openapi/plain-schema.ts'

export const AI_CATALOG_TYPE = 'application/ai-catalog+json'
export const OPENAPI_TYPE = 'application/openapi+json'

/** What an agent finds at this address, by the draft of Agent-Card/ai-catalog. */
export function renderAiCatalog({ publicUrl, version }: SurfaceOptions, hasMcp: boolean) {
  const { hostname } = new URL(publicUrl)
  const identify = (kind: string) => `urn:air:${hostname}:${ID_PREFIX}:${kind}`
  const mcp: Plain = {
    identifier: identify('mcp'),
    type: SERVER_CARD_TYPE,
    url: `${publicUrl}/mcp/server-card`,
    displayName: `${SERVER_TITLE} MCP server`,
    description: SERVER_DESCRIPTION,
    tags: TAGS,
    version,
  }
  const openapi: Plain = {
    identifier: identify('openapi'),
    type: OPENAPI_TYPE,
    url: `${publicUrl}/openapi.json`,
    displayName: `${SERVER_TITLE} REST API`,
    description: SUMMARY,
    tags: TAGS,
    version,
  }
  const catalog = {
    specVersion: '1.0',
    host: { displayName: SERVER_TITLE, identifier: hostname, documentationUrl: `${publicUrl}/llms.txt` },
    entries: [...(hasMcp ? [mcp] : []), openapi],
  }
  return { contentType: AI_CATALOG_TYPE, text: JSON.stringify(catalog) }
}

const TAGS = ['pdf', 'images', 'tables', 'text', 'barcodes', 'archives', 'x402']
