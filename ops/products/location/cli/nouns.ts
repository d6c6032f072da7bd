import type { Nouns } from '../../../cli/verb.ts'

export default {
  places: {
    load: {
      args: ['<file>'],
      flags: ['regions', 'districts', 'postcodes', 'date'],
      summary:
        'Load a dump of GeoNames for the location calls; one that broke off goes on. The new data replaces the old.',
    },
    show: { args: [], summary: 'Print which data the location calls have.' },
  },
  roads: {
    load: {
      args: ['<file>'],
      flags: ['date'],
      summary:
        'Build the road graph for location/route from an extract of OpenStreetMap (.osm.pbf, .osm, .osm.gz); a load that broke off goes on.',
    },
    show: { args: [], summary: 'Print which roads location/route has.' },
  },
} satisfies Nouns
