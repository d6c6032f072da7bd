import { Type } from 'typebox'
import { OptionalText, OptionalUrl, Text } from './kinds.ts'

export const LOCATION = {
  ROUTE_PROVIDER: Type.Optional(
    Type.Unsafe<'osrm' | 'valhalla' | 'mapbox'>({
      type: 'string',
      enum: ['osrm', 'valhalla', 'mapbox'],
      displayDefault: 'our own road graph',
      description:
        'Who plans the routes of location/route; the price of the operation is set with `price set location.route`.',
    }),
  ),
  ROUTE_URL: OptionalUrl({
    displayDefault: "Mapbox's own",
    description: 'Address of that server, such as `http://127.0.0.1:5000`; only the api calls it.',
  }),
  ROUTE_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Its key or access token; set it for the api only. `npm start` does not pass it to workers.',
  }),
  ROUTE_MODES: Text({
    default: 'drive',
    expects: 'some of drive, walk, bike, truck, separated by commas',
    pattern: '^(drive|walk|bike|truck)(\\s*,\\s*(drive|walk|bike|truck))*$',
    description: 'What an OSRM server was built for, of drive, walk, bike and truck.',
  }),
}
