import type { Rulings } from '../../../../tasks/engines/page-tables/rulings.ts'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import { openRendered } from '../encode/page.ts'
import { findRulings } from './rulings.ts'

export interface PageRulings extends Size, Rulings {}

/** Finds the straight lines of a rendered page, in its pixels. */
export async function findPageRulings([file]: string[]): Promise<PageRulings> {
  const page = (await openRendered(file!)).toColourspace('b-w').raw({ depth: 'uchar' })
  const { data, info } = await page.toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { ...findRulings({ data, width, height }), width, height }
}
