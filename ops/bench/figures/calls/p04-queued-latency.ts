import { buildQueuedCall } from '../../calls.ts'
import { oneCallFigure } from './one-call.ts'

export default oneCallFigure({
  id: 'P4',
  title: 'lane Q, a no-op operation, one client, p50 over that of Fastify with one UPDATE and commit',
  buildCall: buildQueuedCall,
  label: 'lane Q, 1 client, p50',
  unit: 'ms',
  clients: 1,
  goal: { atMost: 7 },
})
