import type { OpenedProduct } from '../../product-parts.ts'
import { completePipeline } from './complete.ts'

/** A call of POST /v1/pipeline may name a saved pipeline. */
export default function openPipelines(): OpenedProduct {
  return { calls: { completions: { 'pipeline.run': completePipeline } } }
}
