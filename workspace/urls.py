"""The pages of teams."""

from django.urls import path

from workspace import views

urlpatterns = [
    path("people/", views.people, name="people"),
    path("studies/<slug:slug>/team/", views.members, name="team"),
    path("studies/<slug:slug>/team/<id:username>/", views.change_member, name="change-member"),
    path("invitations/<int:key>/end/", views.take_back, name="end-invitation"),
    path("invitation/<str:secret>/", views.invitation, name="invitation"),
]
