import { fileURLToPath } from 'node:url'
import { SUMMARY } from '../entries.ts'

/** A file that the page loads, stored by the last segment of its address. */
interface Asset {
  file: string
  contentType: string
}

/** Everything the page needs is served by this service; it loads nothing from another host. */
export const DOCS_ASSETS: Readonly<Record<string, Asset>> = {
  'swagger-ui.css': { file: resolveInstalledAsset('swagger-ui.css'), contentType: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': {
    file: resolveInstalledAsset('swagger-ui-bundle.js'),
    contentType: 'text/javascript; charset=utf-8',
  },
  'favicon-32x32.png': { file: resolveInstalledAsset('favicon-32x32.png'), contentType: 'image/png' },
  'page.css': { file: resolveLocalAsset('page.css'), contentType: 'text/css; charset=utf-8' },
  'page.js': { file: resolveLocalAsset('page.js'), contentType: 'text/javascript; charset=utf-8' },
}

/** Images may be `data:` addresses because the stylesheet of Swagger UI embeds its icons; nothing else may be inline. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The API reference at `/docs`. Every address in it is relative, so that it works below any path prefix. */
export function renderDocsPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${SUMMARY}">
<title>coinop API reference</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<header class="top">
<a class="name" href="docs">coinop</a>
<span class="version">${version}</span>
<nav aria-label="Other forms of this page">
<a href="openapi.json">OpenAPI</a>
<a href="llms.txt">llms.txt</a>
<a href="v1/prices">Prices</a>
<a href="v1/capabilities">Capabilities</a>
</nav>
</header>
<main id="reference"><p class="wait">Loading the reference…</p></main>
<noscript><p class="wait">This page needs JavaScript; <a href="llms-full.txt">the plain-text version</a> does not.</p></noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`
}

function resolveInstalledAsset(name: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
}

function resolveLocalAsset(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
