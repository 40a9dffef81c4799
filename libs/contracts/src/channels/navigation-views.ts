import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { NavigationView } from '../objects/navigation-view.ts'
import { navigationViewAdd, navigationViewRemove, navigationViewUpdate } from './events.ts'

const Fragment = z.string().trim().min(1).max(limits.maxNavigationFragmentLength)
const Name = z.string().trim().min(1).max(limits.maxNavigationNameLength)

export const listNavigationViews = endpoint({
  method: 'GET',
  path: '/navigation_views',
  service: 'channels',
  summary: 'The places that the caller keeps at hand.',
  since: 390,
  access: 'authenticated',
  params: {},
  reply: { navigation_views: z.array(NavigationView) },
})

export const createNavigationView = endpoint({
  method: 'POST',
  path: '/navigation_views',
  service: 'channels',
  summary: 'Keep a place at hand, or say whether a built-in one is.',
  since: 390,
  access: 'authenticated',
  params: { fragment: Fragment, is_pinned: z.boolean(), name: Name.optional() },
  reply: {},
  emits: [navigationViewAdd],
})

export const updateNavigationView = endpoint({
  method: 'PATCH',
  path: '/navigation_views/{fragment}',
  service: 'channels',
  summary: 'Pin, unpin or rename a kept place.',
  since: 390,
  access: 'authenticated',
  params: { fragment: Fragment, is_pinned: z.boolean().optional(), name: Name.optional() },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [navigationViewUpdate],
})

export const deleteNavigationView = endpoint({
  method: 'DELETE',
  path: '/navigation_views/{fragment}',
  service: 'channels',
  summary: 'Keep a place at hand no more.',
  since: 390,
  access: 'authenticated',
  params: { fragment: Fragment },
  reply: {},
  errors: ['RESOURCE_NOT_FOUND'],
  emits: [navigationViewRemove],
})
