import type { Entry } from '#kit'
import { type Html, html } from '../../pages/parts/html.ts'
import { LOGO } from '../../pages/parts/layout.ts'
import { groupByFamily, type SurfaceOptions } from '../entries.ts'
import { howToPath, listHowTos } from '../how-to/load.ts'

// Decision 0075: render the reference ourselves.

export interface DocsPage {
  /** `/docs/pdf/merge`; it is marked in the list of calls. */
  path: string
  title: string
  description: string
  content: Html
}

/** The address of the page about one call: `pdf.merge` is at `/docs/pdf/merge`. */
export function docsPathOf({ family, name }: Pick<Entry, 'family' | 'name'>): string {
  return `/docs/${family}/${name.slice(family.length + 1)}`
}

/** Pages that have no Markdown of their own, and what has their content for models. */
const MARKDOWN_ELSEWHERE: Readonly<Record<string, string>> = { '/docs': '/llms.txt', '/docs/sdk': '/llms.txt' }

/** A page of the reference, with the list of all calls at its side. It is the same for every visitor. */
export function renderDocsPage(
  entries: readonly Entry[],
  page: DocsPage,
  { publicUrl, siteName = 'coinop' }: Pick<SurfaceOptions, 'publicUrl' | 'siteName'>,
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
<meta property="og:type" content="article"><meta property="og:url" content="${publicUrl}${page.path}"><meta property="og:site_name" content="${siteName}">
<link rel="canonical" href="${publicUrl}${page.path}">
<title>${page.title} · ${siteName}</title>
<link rel="icon" type="image/svg+xml" href="/pages/coin.svg">
<link rel="alternate" type="text/markdown" href="${MARKDOWN_ELSEWHERE[page.path] ?? `${page.path}.md`}">
<link rel="stylesheet" href="/pages/pages.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/pages/pages.js" defer></script>
<script src="/docs/preview.js" type="module"></script>
<script src="/docs/docs.js" type="module"></script>
</head>
<body class="docs">
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a class="brand" href="/">${LOGO}<span>${siteName}</span></a>
<nav aria-label="Site"><a href="/docs"${page.path === '/docs' && html` aria-current="page"`}>Docs</a><a class="wide" href="/docs/how-to"${page.path.startsWith('/docs/how-to') && html` aria-current="page"`}>How to</a><a class="wide" href="/docs/sdk"${page.path === '/docs/sdk' && html` aria-current="page"`}>Clients</a><a class="wide" href="/pricing">Prices</a><a class="wide" href="/openapi.json">OpenAPI</a><a class="wide" href="/llms.txt">llms.txt</a><a class="wide" href="/changelog">Changelog</a><a class="button small" href="/dashboard">Dashboard</a></nav></header>
<div class="columns">
<nav class="calls" aria-label="Calls"><details id="calls" open><summary>All calls</summary>
<label class="find"><span class="hidden">Find a call</span><input id="find" type="search" placeholder="Find a call" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></label>
<ul id="found" class="found" hidden></ul>
<div id="families">${renderHowTos(entries, page.path)}${renderFamilies(entries, page.path)}</div></details></nav>
<main id="content">${page.content}</main>
</div>
</body>
</html>
`.text
}

function renderHowTos(entries: readonly Entry[], path: string): Html {
  const pages = listHowTos(entries)
  const isOpen = path.startsWith('/docs/how-to')
  return html`<details class="family"${isOpen && html` open`}><summary>How to <span class="dim">${pages.length}</span></summary><ul>
<li>${renderLink('/docs/how-to', 'Overview', path, 'how to')}</li>
${pages.map(page => html`<li>${renderLink(howToPath(page), page.title, path, `${page.title} ${page.keywords}`)}</li>`)}</ul></details>`
}

function renderFamilies(entries: readonly Entry[], path: string): Html[] {
  return [...groupByFamily(entries)].map(([family, members]) => {
    const isOpen = path === `/docs/${family}` || path.startsWith(`/docs/${family}/`)
    return html`<details class="family"${isOpen && html` open`}><summary>${family} <span class="dim">${members.length}</span></summary><ul>
<li>${renderLink(`/docs/${family}`, 'Overview', path, family)}</li>
${members.map(entry => html`<li>${renderLink(docsPathOf(entry), entry.name.slice(family.length + 1), path, `${entry.name} ${entry.summary}`, entry.summary)}</li>`)}</ul></details>`
  })
}

function renderLink(href: string, text: string, path: string, words: string, summary?: string): Html {
  return html`<a href="${href}" data-words="${words.toLowerCase()}"${summary && html` title="${summary}"`}${href === path && html` aria-current="page"`}>${text}</a>`
}
