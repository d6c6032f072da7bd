import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { Screener } from './screener.ts'

/** The threads that compare names. */
export default function openScreening({ db }: PlatformParts): OpenedProduct {
  const screener = new Screener(db)
  return { parts: { screener }, close: () => screener.close() }
}

declare module '../../context.ts' {
  interface ProductParts {
    screener: Screener
  }
}
