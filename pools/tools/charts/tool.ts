import type { HostContext } from '../../host-context.ts'
import type { VegaOptions } from './engine.ts'

interface DrawnChart {
  svg: string
  marks: number
  /** What the engine warns of. */
  messages: string[]
}

/** Draws charts. A specification of a caller is a program, so it runs in a confined child process. */
export function bind(context: HostContext) {
  const call = (method: string, args: unknown): Promise<DrawnChart> =>
    context.engines.call(context, 'charts', method, [], args)
  return {
    drawVega: (options: VegaOptions) => call('drawVega', options),
    drawEcharts: (options: { option: Record<string, unknown>; width: number; height: number }) =>
      call('drawEcharts', options),
  }
}
