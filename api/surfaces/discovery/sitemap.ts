import type { Entry } from '#kit'
import { docsPathOf } from '../docs/shell.ts'
import { groupByFamily } from '../entries.ts'
import { howToPath, listHowTos } from '../how-to/load.ts'

const SITE = ['/', '/pricing', '/compare', '/changelog', '/docs', '/docs/sdk', '/docs/how-to']

/** Every page that is the same for all visitors. */
export function buildSitemap(
  entries: readonly Entry[],
  publicUrl: string,
  { hasTrials }: { hasTrials: boolean },
): string {
  const paths = [
    ...SITE,
    ...(hasTrials ? ['/try'] : []),
    ...listHowTos(entries).map(howToPath),
    ...[...groupByFamily(entries).keys()].map(family => `/docs/${family}`),
    ...entries.map(docsPathOf),
  ]
  const urls = paths.map(path => `<url><loc>${escapeXml(publicUrl + path)}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
