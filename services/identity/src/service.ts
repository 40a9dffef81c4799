import { limits } from '@parley/contracts'
import { identity } from '@parley/contracts/identity/index'
import { defineService } from '@parley/kit'
import { readHoldings } from '@parley/kit/read-holdings'
import { textCache } from '@parley/kit/text-cache'
import { workLoop } from '@parley/kit/work-loop'
import { onCompanyChanged } from './acquaintances/on-company-changed.ts'
import { deleteBotStorage } from './bot-storage/delete-bot-storage.ts'
import { getBotStorage } from './bot-storage/get-bot-storage.ts'
import { putBotStorage } from './bot-storage/put-bot-storage.ts'
import { createBot } from './bots/create-bot.ts'
import { deactivateBot } from './bots/deactivate-bot.ts'
import { findBots } from './bots/find-bots.ts'
import { getBotApiKey } from './bots/get-bot-api-key.ts'
import { listBots } from './bots/list-bots.ts'
import { realmBotSection, realmEmbeddedBotsSection } from './bots/realm-bot-section.ts'
import { regenerateBotApiKey } from './bots/regenerate-bot-api-key.ts'
import { updateBot } from './bots/update-bot.ts'
import { bigBlueButton } from './calls/big-blue-button.ts'
import { createBigBlueButtonCall } from './calls/create-big-blue-button-call.ts'
import { joinBigBlueButtonCall } from './calls/join-big-blue-button-call.ts'
import { config } from './config.ts'
import { addApnsToken } from './devices/add-apns-token.ts'
import { addGcmToken } from './devices/add-gcm-token.ts'
import { deviceSection } from './devices/device-section.ts'
import { registerClientDevice } from './devices/register-client-device.ts'
import { registerPushDevice } from './devices/register-push-device.ts'
import { removeApnsToken } from './devices/remove-apns-token.ts'
import { removeClientDevice } from './devices/remove-client-device.ts'
import { removeGcmToken } from './devices/remove-gcm-token.ts'
import { readingParts } from './exports/archive.ts'
import { downloadRealmExport } from './exports/download-realm-export.ts'
import { exportLinks } from './exports/export-links.ts'
import { exportRealm } from './exports/export-realm.ts'
import { claimExports } from './exports/export-store.ts'
import { listExportConsents } from './exports/list-export-consents.ts'
import { listRealmExports } from './exports/list-realm-exports.ts'
import { makeExport } from './exports/make-export.ts'
import { exportForOperator, setContentAccess, showExport } from './exports/manage-exports.ts'
import { removeRealmExport } from './exports/remove-realm-export.ts'
import { createUserGroup } from './groups/create-user-group.ts'
import { deactivateUserGroup } from './groups/deactivate-user-group.ts'
import { findGroups } from './groups/find-groups.ts'
import { getUserGroupMember } from './groups/get-user-group-member.ts'
import { listUserGroupMembers } from './groups/list-user-group-members.ts'
import { listUserGroupSubgroups } from './groups/list-user-group-subgroups.ts'
import { listUserGroups } from './groups/list-user-groups.ts'
import { permissionsOfUser } from './groups/permissions-of-user.ts'
import { realmUserGroupsSection } from './groups/realm-user-groups-section.ts'
import { updateUserGroup } from './groups/update-user-group.ts'
import { updateUserGroupMembers } from './groups/update-user-group-members.ts'
import { updateUserGroupSubgroups } from './groups/update-user-group-subgroups.ts'
import { claimImports } from './imports/import-store.ts'
import { beginImport, showImport } from './imports/manage-imports.ts'
import { takeInArchive } from './imports/take-in-archive.ts'
import { createNewcomer } from './joining/create-newcomer.ts'
import { foundRealm } from './joining/found-realm.ts'
import { invitingStanding } from './joining/inviting-standing.ts'
import { judgeFounding } from './joining/judge-founding.ts'
import { judgeNewcomer } from './joining/judge-newcomer.ts'
import { apiKeys } from './keys/api-keys.ts'
import { regenerateOwnApiKey } from './keys/regenerate-own-api-key.ts'
import { showApiKey } from './keys/show-api-key.ts'
import { directoryOf } from './ldap/directory-of.ts'
import { addLinkifier } from './linkifiers/add-linkifier.ts'
import { addPlayground } from './linkifiers/add-playground.ts'
import {
  realmFiltersSection,
  realmLinkifiersSection,
  realmPlaygroundsSection,
} from './linkifiers/linkifier-sections.ts'
import { listLinkifiers } from './linkifiers/list-linkifiers.ts'
import { removeLinkifier } from './linkifiers/remove-linkifier.ts'
import { removePlayground } from './linkifiers/remove-playground.ts'
import { reorderLinkifiers } from './linkifiers/reorder-linkifiers.ts'
import { updateLinkifier } from './linkifiers/update-linkifier.ts'
import { authenticate } from './log-in/authenticate.ts'
import { devFetchApiKey } from './log-in/dev-fetch-api-key.ts'
import { devListUsers } from './log-in/dev-list-users.ts'
import { fetchApiKey } from './log-in/fetch-api-key.ts'
import { newsWait } from './news.ts'
import { markOnboardingStep } from './onboarding/mark-onboarding-step.ts'
import { onboardingStepsSection } from './onboarding/onboarding-steps-section.ts'
import { findPasswordHolder } from './passwords/find-password-holder.ts'
import { openPasswords } from './passwords/passwords.ts'
import { requirePasswordReset } from './passwords/require-password-reset.ts'
import { setPassword } from './passwords/set-password.ts'
import { addAlertWords } from './personal/add-alert-words.ts'
import { findPersonal } from './personal/find-personal.ts'
import { listAlertWords } from './personal/list-alert-words.ts'
import { muteUser } from './personal/mute-user.ts'
import { alertWordsSection, mutedUsersSection } from './personal/personal-sections.ts'
import { removeAlertWords } from './personal/remove-alert-words.ts'
import { unmuteUser } from './personal/unmute-user.ts'
import { createProfileField } from './profile-fields/create-profile-field.ts'
import { listProfileFields } from './profile-fields/list-profile-fields.ts'
import { customProfileFieldsSection } from './profile-fields/profile-fields-section.ts'
import { removeOwnProfile } from './profile-fields/remove-own-profile.ts'
import { removeProfileField } from './profile-fields/remove-profile-field.ts'
import { reorderProfileFields } from './profile-fields/reorder-profile-fields.ts'
import { updateOwnProfile } from './profile-fields/update-own-profile.ts'
import { updateProfileField } from './profile-fields/update-profile-field.ts'
import { goOnWithPurge } from './purges/go-on-with-purge.ts'
import { purgeStatus, reportPurge, traces } from './purges/manage-purges.ts'
import { claimPurges } from './purges/purge-store.ts'
import { watchPurges } from './purges/watch-purges.ts'
import { holdings } from './realm-data/holdings.ts'
import { storeOnDemand } from './realm-data/open-store.ts'
import { changeRealmPicture, realmPictureAddress } from './realms/change-realm-picture.ts'
import { createRealm } from './realms/create-realm.ts'
import { deactivateRealm } from './realms/deactivate-realm.ts'
import { findRealm } from './realms/find-realm.ts'
import { findRealmById } from './realms/find-realm-by-id.ts'
import { getServerSettings } from './realms/get-server-settings.ts'
import { endRealm, listRealms, reactivateRealm } from './realms/manage-realm-life.ts'
import { realmSection } from './realms/realm-section.ts'
import { testWelcomeMessage } from './realms/test-welcome-message.ts'
import { updateRealm } from './realms/update-realm.ts'
import { republish } from './republishing/republish.ts'
import type { Deps } from './room.ts'
import {
  giphySection,
  realmBillingSection,
  realmIncomingWebhookBotsSection,
  stopWordsSection,
  tenorSection,
  videoCallsSection,
} from './server/server-sections.ts'
import {
  displaySettingsSection,
  notificationSettingsSection,
  ownChoicesSection,
  realmUserSettingsDefaultsSection,
  userSettingsSection,
} from './settings/settings-sections.ts'
import { updateDisplaySettings } from './settings/update-display-settings.ts'
import { updateNotificationSettings } from './settings/update-notification-settings.ts'
import { updateSettings } from './settings/update-settings.ts'
import { updateUserSettingsDefaults } from './settings/update-user-settings-defaults.ts'
import { addUser } from './users/add-user.ts'
import { changeAvatar } from './users/change-avatar.ts'
import { createUser } from './users/create-user.ts'
import { deactivateUser } from './users/deactivate-user.ts'
import { endOwnUser } from './users/end-own-user.ts'
import { endUser } from './users/end-user.ts'
import { findUsers } from './users/find-users.ts'
import { getOwnUser } from './users/get-own-user.ts'
import { getUser } from './users/get-user.ts'
import { getUserByEmail } from './users/get-user-by-email.ts'
import { grantUserPermission } from './users/grant-user-permission.ts'
import { listUsers } from './users/list-users.ts'
import { reactivateUser } from './users/reactivate-user.ts'
import { realmUserSection } from './users/realm-user-section.ts'
import { takeNewAddress } from './users/take-new-address.ts'
import { updateUser } from './users/update-user.ts'
import { updateUserByEmail } from './users/update-user-by-email.ts'

export const service = defineService({
  contract: identity,
  config,
  open: async (opening): Promise<Deps> => {
    const { ask, config, log } = opening
    const database = await opening.database()
    // Without Kafka announcements wait in the outbox; who is calling can be told all the same.
    const bus = await opening.bus({ needed: false })
    await opening.relay({ database, bus })
    const store = storeOnDemand({
      endpoint: config.S3_ENDPOINT,
      accessKey: config.S3_ACCESS_KEY,
      secretKey: config.S3_SECRET_KEY,
      region: config.S3_REGION,
      bucket: config.S3_BUCKET,
    })
    const leaving = new AbortController()
    const exporting = {
      ...{ database, store, log, leaving },
      publicUrl: config.PUBLIC_URL,
      exportLinks: exportLinks(config.SECRET_KEY, config.EXPORT_LINK_HOURS),
      read: readingParts(ask, (realmId, scope) => readHoldings({ database, holdings, deps }, realmId, scope)),
    }
    const exporter = workLoop({
      what: 'an export',
      claim: () => claimExports(database.sql, 1),
      perform: (claimed) => makeExport(exporting, claimed),
      log,
    })
    const importer = workLoop({
      what: 'an import',
      claim: () => claimImports(database.sql, 1),
      perform: (claimed) => takeInArchive(deps, claimed),
      log,
    })
    const undertaker = workLoop({
      what: 'the end of an organization',
      claim: () => claimPurges(database.sql, 10),
      perform: (purge) => goOnWithPurge(deps, purge),
      log,
    })
    const isDevelopment = config.MODE === 'development'
    const { BIG_BLUE_BUTTON_URL, BIG_BLUE_BUTTON_SECRET } = config
    const deps: Deps = {
      database,
      bus,
      ask,
      newsWait: newsWait(ask),
      log,
      store,
      exportLinks: exporting.exportLinks,
      exportsPerWeek:
        config.EXPORTS_PER_WEEK === undefined
          ? isDevelopment
            ? null
            : limits.exportsPerWeek
          : config.EXPORTS_PER_WEEK,
      exporter,
      importer,
      undertaker,
      leaving,
      keys: apiKeys(opening.config.SECRET_KEY),
      accountTexts: textCache(config.ACCOUNT_TEXTS_MIB),
      passwords: await openPasswords(opening.config.PASSWORD_WORKERS),
      directory: await directoryOf(opening.config),
      bigBlueButton:
        BIG_BLUE_BUTTON_URL === '' ? undefined : bigBlueButton(BIG_BLUE_BUTTON_URL, BIG_BLUE_BUTTON_SECRET),
      publicUrl: opening.config.PUBLIC_URL,
      giphyKey: opening.config.GIPHY_API_KEY,
      tenorKey: opening.config.TENOR_API_KEY,
      isDevelopment,
      deletionBounds: {
        min: opening.config.MIN_DEACTIVATED_REALM_DELETION_DAYS,
        max: opening.config.MAX_DEACTIVATED_REALM_DELETION_DAYS,
      },
    }
    return deps
  },
  start: async (deps) => [
    deps.exporter,
    deps.importer,
    deps.undertaker,
    watchPurges(deps.database, deps.log),
    onCompanyChanged(deps),
  ],
  drain: async ({ leaving }) => leaving.abort(),
  endpoints: {
    getServerSettings,
    fetchApiKey,
    devFetchApiKey,
    devListUsers,
    createBigBlueButtonCall,
    joinBigBlueButtonCall,
    listUsers,
    getUser,
    getOwnUser,
    getUserByEmail,
    addUser,
    updateUser,
    updateUserByEmail,
    endUser,
    endOwnUser,
    reactivateUser,
    regenerateOwnApiKey,
    createBot,
    listBots,
    updateBot,
    deactivateBot,
    getBotApiKey,
    regenerateBotApiKey,
    putBotStorage,
    getBotStorage,
    deleteBotStorage,
    updateRealm,
    testWelcomeMessage,
    deactivateRealm,
    exportRealm,
    listRealmExports,
    removeRealmExport,
    listExportConsents,
    downloadRealmExport,
    listUserGroups,
    createUserGroup,
    updateUserGroup,
    deactivateUserGroup,
    updateUserGroupMembers,
    listUserGroupMembers,
    updateUserGroupSubgroups,
    listUserGroupSubgroups,
    getUserGroupMember,
    updateSettings,
    updateDisplaySettings,
    updateNotificationSettings,
    updateUserSettingsDefaults,
    listAlertWords,
    addAlertWords,
    removeAlertWords,
    muteUser,
    unmuteUser,
    listProfileFields,
    createProfileField,
    reorderProfileFields,
    updateProfileField,
    removeProfileField,
    updateOwnProfile,
    removeOwnProfile,
    listLinkifiers,
    reorderLinkifiers,
    addLinkifier,
    updateLinkifier,
    removeLinkifier,
    addPlayground,
    removePlayground,
    markOnboardingStep,
    registerClientDevice,
    removeClientDevice,
    registerPushDevice,
    addGcmToken,
    removeGcmToken,
    addApnsToken,
    removeApnsToken,
  },
  internals: {
    authenticate,
    findRealm,
    findRealmById,
    findUsers,
    findBots,
    createRealm,
    createUser,
    showApiKey,
    deactivateUser,
    grantUserPermission,
    permissionsOfUser,
    findGroups,
    changeAvatar,
    changeRealmPicture,
    realmPictureAddress,
    findPersonal,
    invitingStanding,
    judgeNewcomer,
    createNewcomer,
    judgeFounding,
    foundRealm,
    takeNewAddress,
    findPasswordHolder,
    setPassword,
    requirePasswordReset,
    republish,
    listRealms,
    endRealm,
    reactivateRealm,
    exportForOperator,
    showExport,
    setContentAccess,
    reportPurge,
    purgeStatus,
    traces,
    beginImport,
    showImport,
  },
  sections: {
    realmUserSection,
    realmBotSection,
    realmEmbeddedBotsSection,
    realmUserGroupsSection,
    realmSection,
    alertWordsSection,
    mutedUsersSection,
    ownChoicesSection,
    userSettingsSection,
    realmUserSettingsDefaultsSection,
    displaySettingsSection,
    notificationSettingsSection,
    customProfileFieldsSection,
    realmLinkifiersSection,
    realmFiltersSection,
    realmPlaygroundsSection,
    onboardingStepsSection,
    deviceSection,
    realmBillingSection,
    videoCallsSection,
    giphySection,
    tenorSection,
    stopWordsSection,
    realmIncomingWebhookBotsSection,
  },
})
