import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import type { AskedPage, FoundPage } from '../../../sql/esigndoc/preparations.ts'
import type { ApiContext } from '../../context.ts'
import type { PageFile } from '../../pages/parts/page.ts'

/** In pixels: as phones show a page, and for larger screens. */
const WIDTHS = [800, 1600] as const

/** Which page the address of an image names. */
export function readAskedPage(
  { file, page }: Record<string, string | undefined>,
  { w }: Record<string, string | undefined>,
): AskedPage {
  const width = WIDTHS.find(one => String(one) === w) ?? WIDTHS[0]
  return { file: readNumber(file ?? ''), page: readNumber(page ?? ''), width }
}

export function readNumber(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Problem('NOT_FOUND')
  return Number(text)
}

/** A page as an image, which a worker draws first if it must. */
export async function openPageImage(
  { db, documentWaits, store }: Pick<ApiContext, 'db' | 'documentWaits' | 'store'>,
  find: (db: Db) => Promise<FoundPage | null>,
): Promise<PageFile> {
  const found = await find(db)
  if (!found) throw new Problem('NOT_FOUND')
  const key = found.key ?? (await documentWaits.until(found.waitsFor, async () => (await find(db))?.key ?? undefined))
  return { headers: { 'content-type': 'image/webp', 'cache-control': 'no-store' }, body: await store.read(key) }
}
