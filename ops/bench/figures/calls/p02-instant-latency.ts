import { buildHashCall } from '../../calls.ts'
import { oneCallFigure } from './one-call.ts'

export default oneCallFigure({
  id: 'P2',
  title: 'lane I, one client, p50 over that of Fastify with one UPDATE and commit',
  workers: 0,
  buildCall: buildHashCall,
  label: 'lane I, 1 client, p50',
  unit: 'ms',
  clients: 1,
  goal: { atMost: 2 },
})
