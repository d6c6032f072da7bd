import { Problem } from '#kit'
import type { MatrixAnswer, RouteAnswer } from '../../../tasks/engines/roads/answer.ts'
import { askInOrder, countCall, type OnCall } from '../ask-in-order.ts'
import type { LocationConfig } from '../location/settings.ts'
import type { Router, Routers } from './contract.ts'
import { EmbeddedRouter, type RoadSource } from './embedded.ts'
import { openGoogle } from './google.ts'
import { openGraphHopper } from './graphhopper.ts'
import { openMapbox, openOsrm } from './osrm.ts'
import { openValhalla } from './valhalla.ts'

/** The routers in the order of the configuration: providers, and our own road graph. */
export function openRouters(config: LocationConfig, source: RoadSource, onCall?: OnCall): Routers {
  const routers = config.routers.flatMap(name => openOne(name, config, source) ?? [])
  const list = () => routers.filter(router => router.missing() === undefined)

  function ask<Answer>(
    call: 'route' | 'matrix',
    { question, paidMicros, signal }: Parameters<Routers['plan']>[0],
    run: (router: Router) => Promise<Answer>,
  ): Promise<{ router: Router; answer: Answer }> {
    const [first] = list()
    if (!first) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'location.route' })
    const requests = call === 'matrix' ? question.waypoints.length ** 2 : 1
    return askInOrder(list(), config, { call, requests, paidMicros, signal }, async router => {
      const costMicros = (config.costs.get(`${router.id}.${call}`) ?? 0) * requests
      const counted = router.id === 'embedded' ? undefined : onCall
      const answer = await countCall(counted, { provider: router.id, call, costMicros }, () => run(router))
      return { router, answer }
    })
  }

  return {
    missing: () => (list().length > 0 ? undefined : (routers.map(router => router.missing())[0] ?? 'ROUTE_PROVIDERS')),
    servedBy: () => list()[0]?.id,
    plan: asked => ask<RouteAnswer>('route', asked, router => router.plan(asked.question, asked.signal)),
    matrix: asked => ask<MatrixAnswer>('matrix', asked, router => router.matrix(asked.question, asked.signal)),
    refresh: async () => void (await Promise.all(routers.map(router => router.refresh()))),
    close: async () => void (await Promise.all(routers.map(router => router.close()))),
  }
}

function openOne(
  name: LocationConfig['routers'][number],
  { osrm, valhalla, graphhopper, google, mapbox }: LocationConfig,
  source: RoadSource,
): Router | undefined {
  if (name === 'embedded') return new EmbeddedRouter(source)
  if (name === 'osrm') return osrm && openOsrm(osrm)
  if (name === 'valhalla') return valhalla && openValhalla(valhalla)
  if (name === 'graphhopper') return graphhopper && openGraphHopper(graphhopper)
  if (name === 'google') return google && openGoogle(google)
  return mapbox && openMapbox(mapbox)
}
