import type { Histogram } from 'prom-client'
import type { TraceContext } from '../tracing/context.ts'

/** Observes a value, with the trace that it comes from as its exemplar. The types of prom-client know no labels of exemplars. */
export function observeTraced<Label extends string>(
  histogram: Histogram<Label>,
  labels: Record<Label, string>,
  value: number,
  trace: TraceContext | undefined,
): void {
  const exemplar = trace?.isSampled ? { exemplarLabels: { trace_id: trace.traceId } } : {}
  histogram.observe({ labels, value, ...exemplar } as { labels: Record<Label, string>; value: number })
}
