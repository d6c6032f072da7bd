/** What providers call our categories; a category without a name of theirs cannot be asked for there. */
interface CategoryNames {
  /** `key=value` of OpenStreetMap. */
  osm?: readonly string[]
  google?: readonly string[]
  mapbox?: readonly string[]
}

export const PROVIDER_CATEGORIES: Readonly<Record<string, CategoryNames>> = {
  airport: { osm: ['aeroway=aerodrome'], google: ['airport'], mapbox: ['airport'] },
  amusement_park: { osm: ['tourism=theme_park'], google: ['amusement_park'] },
  bank: { osm: ['amenity=bank'], google: ['bank'], mapbox: ['bank'] },
  bay: { osm: ['natural=bay'] },
  beach: { osm: ['natural=beach'], google: ['beach'], mapbox: ['beach'] },
  bridge: { osm: ['man_made=bridge'] },
  bus_station: { osm: ['amenity=bus_station'], google: ['bus_station'], mapbox: ['bus_station'] },
  campsite: { osm: ['tourism=camp_site'], google: ['campground'], mapbox: ['campground'] },
  canal: { osm: ['waterway=canal'] },
  cape: { osm: ['natural=cape'] },
  castle: { osm: ['historic=castle'], google: ['castle'] },
  cave: { osm: ['natural=cave_entrance'] },
  cemetery: { osm: ['landuse=cemetery', 'amenity=grave_yard'], google: ['cemetery'], mapbox: ['cemetery'] },
  church: { osm: ['building=church'], google: ['church'], mapbox: ['church'] },
  city: { osm: ['place=city', 'place=town'] },
  clinic: { osm: ['amenity=clinic', 'amenity=doctors'], google: ['doctor'], mapbox: ['doctors_office'] },
  court: { osm: ['amenity=courthouse'], google: ['courthouse'] },
  dam: { osm: ['waterway=dam'] },
  embassy: { osm: ['office=diplomatic'], google: ['embassy'], mapbox: ['embassy'] },
  factory: { osm: ['man_made=works'] },
  farm: { osm: ['landuse=farmyard'], google: ['farm'] },
  ferry_terminal: { osm: ['amenity=ferry_terminal'], google: ['ferry_terminal'] },
  forest: { osm: ['landuse=forest', 'natural=wood'] },
  fort: { osm: ['historic=fort'] },
  fuel: { osm: ['amenity=fuel'], google: ['gas_station'], mapbox: ['gas_station'] },
  garden: { osm: ['leisure=garden'], google: ['garden'] },
  glacier: { osm: ['natural=glacier'] },
  government: { osm: ['office=government', 'amenity=townhall'], google: ['city_hall'] },
  harbor: { osm: ['leisure=marina', 'landuse=harbour'], google: ['marina'], mapbox: ['marina'] },
  hill: { osm: ['natural=hill'] },
  historic_site: { osm: ['historic=archaeological_site', 'historic=ruins'], google: ['historical_place'] },
  hospital: { osm: ['amenity=hospital'], google: ['hospital'], mapbox: ['hospital'] },
  hotel: { osm: ['tourism=hotel'], google: ['hotel'], mapbox: ['hotel'] },
  island: { osm: ['place=island'] },
  lake: { osm: ['natural=water'] },
  library: { osm: ['amenity=library'], google: ['library'], mapbox: ['library'] },
  lighthouse: { osm: ['man_made=lighthouse'] },
  market: { osm: ['amenity=marketplace'], google: ['market'] },
  military: { osm: ['landuse=military'] },
  monastery: { osm: ['amenity=monastery'] },
  monument: { osm: ['historic=monument'], google: ['monument'], mapbox: ['monument'] },
  mosque: { osm: ['building=mosque'], google: ['mosque'], mapbox: ['mosque'] },
  mountain: { osm: ['natural=peak', 'natural=volcano'] },
  museum: { osm: ['tourism=museum'], google: ['museum'], mapbox: ['museum'] },
  observatory: { osm: ['man_made=observatory'] },
  park: { osm: ['leisure=park'], google: ['park'], mapbox: ['park'] },
  police: { osm: ['amenity=police'], google: ['police'], mapbox: ['police_station'] },
  post_office: { osm: ['amenity=post_office'], google: ['post_office'], mapbox: ['post_office'] },
  prison: { osm: ['amenity=prison'] },
  religious_site: {
    osm: ['amenity=place_of_worship'],
    google: ['hindu_temple', 'synagogue'],
    mapbox: ['place_of_worship'],
  },
  reservoir: { osm: ['landuse=reservoir'] },
  restaurant: { osm: ['amenity=restaurant'], google: ['restaurant'], mapbox: ['restaurant'] },
  river: { osm: ['waterway=river'] },
  school: { osm: ['amenity=school'], google: ['school'], mapbox: ['school'] },
  shopping: { osm: ['shop=mall'], google: ['shopping_mall'], mapbox: ['shopping_mall'] },
  sports: {
    osm: ['leisure=stadium', 'leisure=sports_centre'],
    google: ['stadium', 'sports_complex'],
    mapbox: ['stadium'],
  },
  spring: { osm: ['natural=spring'] },
  subway_station: { osm: ['station=subway'], google: ['subway_station'] },
  theater: { osm: ['amenity=theatre'], google: ['performing_arts_theater', 'opera_house'], mapbox: ['theatre'] },
  tower: { osm: ['man_made=tower'] },
  train_station: { osm: ['railway=station', 'railway=halt'], google: ['train_station'], mapbox: ['railway_station'] },
  university: {
    osm: ['amenity=university', 'amenity=college'],
    google: ['university'],
    mapbox: ['university', 'college'],
  },
  valley: { osm: ['natural=valley'] },
  waterfall: { osm: ['waterway=waterfall'] },
  zoo: { osm: ['tourism=zoo'], google: ['zoo'], mapbox: ['zoo'] },
}

/** Our categories of a place by what a provider calls it. */
export function findCategories(kind: keyof CategoryNames, names: readonly string[]): string[] {
  return Object.keys(PROVIDER_CATEGORIES).filter(category =>
    PROVIDER_CATEGORIES[category]![kind]?.some(name => names.includes(name)),
  )
}
